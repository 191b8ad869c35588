-- The company. Amounts are integer minor units beside a `currency`; exact decimals are text; days are ISO text.
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE series (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;

-- Money out.
CREATE TABLE vendors (vendor_id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, email TEXT NOT NULL,
  country TEXT NOT NULL, terms_days INTEGER NOT NULL, risk_rating TEXT NOT NULL, updated_at TEXT);
CREATE TABLE invoices (invoice_id TEXT PRIMARY KEY, number TEXT NOT NULL, vendor_id TEXT NOT NULL, vendor TEXT NOT NULL,
  po_id TEXT, status TEXT NOT NULL, total_minor INTEGER NOT NULL, currency TEXT NOT NULL, issued_on TEXT NOT NULL,
  due_on TEXT NOT NULL, reason TEXT, updated_at TEXT);
CREATE INDEX invoices_by_status ON invoices (status, invoice_id);
CREATE INDEX invoices_by_number ON invoices (vendor_id, number);
CREATE TABLE purchase_orders (po_id TEXT PRIMARY KEY, vendor_id TEXT NOT NULL, vendor TEXT NOT NULL, status TEXT NOT NULL,
  total_minor INTEGER NOT NULL, currency TEXT NOT NULL, description TEXT NOT NULL, cost_center TEXT NOT NULL,
  created_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE budgets (cost_center TEXT PRIMARY KEY, owner TEXT NOT NULL, allotted_minor INTEGER NOT NULL,
  spent_minor INTEGER NOT NULL, currency TEXT NOT NULL, updated_at TEXT);
CREATE TABLE quotes (quote_id TEXT PRIMARY KEY, vendor_id TEXT NOT NULL, item TEXT NOT NULL, quantity INTEGER NOT NULL,
  total_minor INTEGER NOT NULL, currency TEXT NOT NULL, valid_until TEXT NOT NULL, updated_at TEXT);
CREATE TABLE contracts (contract_id TEXT PRIMARY KEY, vendor_id TEXT NOT NULL, status TEXT NOT NULL, service TEXT NOT NULL,
  monthly_fee_minor INTEGER NOT NULL, currency TEXT NOT NULL, multiplier TEXT NOT NULL, sla_percent TEXT NOT NULL,
  contact TEXT NOT NULL, starts_on TEXT NOT NULL, ends_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE uptime (vendor_id TEXT NOT NULL, month TEXT NOT NULL, percent TEXT NOT NULL, source TEXT NOT NULL,
  updated_at TEXT, PRIMARY KEY (vendor_id, month)) WITHOUT ROWID;
CREATE TABLE accounts (vendor_id TEXT PRIMARY KEY, opening_minor INTEGER NOT NULL, balance_minor INTEGER NOT NULL,
  currency TEXT NOT NULL, updated_at TEXT);
CREATE TABLE credits (credit_id TEXT PRIMARY KEY, reference TEXT NOT NULL, vendor_id TEXT NOT NULL,
  amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL, applied_on TEXT NOT NULL, updated_at TEXT);
CREATE INDEX credits_by_reference ON credits (reference);

-- Money in.
CREATE TABLE customers (customer_id TEXT PRIMARY KEY, account_name TEXT NOT NULL, status TEXT NOT NULL, email TEXT NOT NULL,
  country TEXT NOT NULL, tier TEXT NOT NULL, created TEXT NOT NULL, updated_at TEXT);
CREATE TABLE orders (order_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, status TEXT NOT NULL, contact TEXT NOT NULL,
  currency TEXT NOT NULL, placed_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE order_items (order_id TEXT NOT NULL, item TEXT NOT NULL, quantity INTEGER NOT NULL,
  unit_price_minor INTEGER NOT NULL, updated_at TEXT, PRIMARY KEY (order_id, item)) WITHOUT ROWID;
CREATE TABLE inventory (item TEXT PRIMARY KEY, sku TEXT NOT NULL, available INTEGER NOT NULL, reserved INTEGER NOT NULL,
  unit_price_minor INTEGER NOT NULL, currency TEXT NOT NULL, warehouse TEXT NOT NULL, updated_at TEXT);
CREATE TABLE receivables (receivable_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, customer_status TEXT NOT NULL,
  amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, due_on TEXT NOT NULL, status TEXT NOT NULL, updated_at TEXT);
CREATE TABLE payment_plans (plan_id TEXT PRIMARY KEY, receivable_id TEXT NOT NULL, instalments INTEGER NOT NULL,
  first_due_on TEXT NOT NULL, status TEXT NOT NULL, updated_at TEXT);
CREATE TABLE disputes (dispute_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, order_id TEXT NOT NULL,
  amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
  opened_on TEXT NOT NULL, resolution TEXT, updated_at TEXT);
CREATE TABLE refunds (refund_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, reference TEXT NOT NULL,
  amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL, issued_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE plans (plan_id TEXT PRIMARY KEY, title TEXT NOT NULL, monthly_price_minor INTEGER NOT NULL,
  currency TEXT NOT NULL, seat_limit INTEGER NOT NULL, updated_at TEXT);
CREATE TABLE subscriptions (subscription_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, plan_id TEXT NOT NULL,
  status TEXT NOT NULL, seats_used INTEGER NOT NULL, started_on TEXT NOT NULL, renews_on TEXT NOT NULL,
  termination_fee_minor INTEGER NOT NULL, currency TEXT NOT NULL, updated_at TEXT);
CREATE TABLE workspaces (workspace_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, plan_id TEXT NOT NULL,
  status TEXT NOT NULL, updated_at TEXT);
CREATE TABLE kyc (customer_id TEXT PRIMARY KEY, kyc_status TEXT NOT NULL, risk_rating TEXT NOT NULL,
  politically_exposed INTEGER NOT NULL, sanctions_hit INTEGER NOT NULL, reviewed_on TEXT, updated_at TEXT);

-- People.
CREATE TABLE employees (employee_id TEXT PRIMARY KEY, full_name TEXT NOT NULL, email TEXT NOT NULL, department TEXT NOT NULL,
  title TEXT NOT NULL, manager_id TEXT, status TEXT NOT NULL, country TEXT NOT NULL, state TEXT, hired_on TEXT NOT NULL,
  hourly_rate_minor INTEGER, currency TEXT NOT NULL, last_day TEXT, updated_at TEXT);
CREATE TABLE system_access (employee_id TEXT NOT NULL, system TEXT NOT NULL, rank INTEGER NOT NULL, active INTEGER NOT NULL,
  granted_on TEXT NOT NULL, updated_at TEXT, PRIMARY KEY (employee_id, system)) WITHOUT ROWID;
CREATE TABLE checklists (checklist_id TEXT PRIMARY KEY, employee_id TEXT NOT NULL, last_day TEXT NOT NULL,
  status TEXT NOT NULL, systems TEXT NOT NULL, updated_at TEXT);
CREATE TABLE pay_calendar (country TEXT NOT NULL, pay_date TEXT NOT NULL, period_start TEXT NOT NULL,
  period_end TEXT NOT NULL, PRIMARY KEY (country, pay_date)) WITHOUT ROWID;
CREATE TABLE timesheets (employee_id TEXT NOT NULL, week TEXT NOT NULL, hours TEXT NOT NULL, updated_at TEXT,
  PRIMARY KEY (employee_id, week)) WITHOUT ROWID;
CREATE TABLE expense_claims (claim_id TEXT PRIMARY KEY, employee_id TEXT NOT NULL, type TEXT NOT NULL,
  amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, cost_center TEXT NOT NULL, status TEXT NOT NULL,
  notes TEXT NOT NULL, submitted_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE receipts (receipt_id TEXT PRIMARY KEY, claim_id TEXT NOT NULL, amount_minor INTEGER NOT NULL,
  currency TEXT NOT NULL, merchant TEXT NOT NULL, spent_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE pay_runs (run_id TEXT PRIMARY KEY, period TEXT NOT NULL, country TEXT NOT NULL, employees INTEGER NOT NULL,
  net_total_minor INTEGER NOT NULL, currency TEXT NOT NULL, status TEXT NOT NULL, updated_at TEXT);
CREATE TABLE bank_files (file_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, total_minor INTEGER NOT NULL,
  currency TEXT NOT NULL, status TEXT NOT NULL, updated_at TEXT);

-- Books.
CREATE TABLE transactions (transaction_id TEXT PRIMARY KEY, month TEXT NOT NULL, booked_on TEXT NOT NULL,
  account TEXT NOT NULL, counterparty TEXT NOT NULL, amount_minor INTEGER NOT NULL, currency TEXT NOT NULL,
  description TEXT NOT NULL, updated_at TEXT);
CREATE INDEX transactions_by_month ON transactions (month, transaction_id);
CREATE TABLE bank_lines (line_id TEXT PRIMARY KEY, month TEXT NOT NULL, booked_on TEXT NOT NULL, text TEXT NOT NULL,
  amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, updated_at TEXT);
CREATE TABLE periods (period TEXT PRIMARY KEY, status TEXT NOT NULL, updated_at TEXT);
CREATE TABLE journal_entries (entry_id TEXT PRIMARY KEY, period TEXT NOT NULL, debit_account TEXT NOT NULL,
  credit_account TEXT NOT NULL, amount_minor INTEGER NOT NULL, currency TEXT NOT NULL, memo TEXT NOT NULL,
  status TEXT NOT NULL, updated_at TEXT);

-- Service.
CREATE TABLE incidents (incident_id TEXT PRIMARY KEY, title TEXT NOT NULL, severity TEXT NOT NULL, status TEXT NOT NULL,
  service TEXT NOT NULL, card_data_involved INTEGER NOT NULL, owner TEXT, started_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE alerts (alert_id TEXT PRIMARY KEY, incident_id TEXT NOT NULL, message TEXT NOT NULL, fired_on TEXT NOT NULL,
  updated_at TEXT);
CREATE TABLE deployments (deployment_id TEXT PRIMARY KEY, service TEXT NOT NULL, version TEXT NOT NULL, status TEXT NOT NULL,
  deployed_on TEXT NOT NULL, updated_at TEXT);
CREATE TABLE tickets (ticket_id TEXT PRIMARY KEY, title TEXT NOT NULL, state TEXT NOT NULL, assignee_id TEXT,
  kind TEXT NOT NULL, body TEXT NOT NULL, created TEXT NOT NULL, updated_at TEXT);
CREATE TABLE compliance_gaps (gap_id TEXT PRIMARY KEY, control TEXT NOT NULL, subject TEXT NOT NULL, owner TEXT NOT NULL,
  due_on TEXT NOT NULL, status TEXT NOT NULL, updated_at TEXT);
CREATE TABLE audit_entries (entry_id TEXT PRIMARY KEY, subject TEXT NOT NULL, text TEXT NOT NULL, updated_at TEXT);
CREATE TABLE approvals (request_id TEXT PRIMARY KEY, question TEXT NOT NULL, asked TEXT NOT NULL, answer TEXT NOT NULL,
  updated_at TEXT);
CREATE TABLE messages (message_id TEXT PRIMARY KEY, kind TEXT NOT NULL, recipient TEXT NOT NULL, about TEXT NOT NULL,
  body TEXT NOT NULL, send_on TEXT, status TEXT NOT NULL, updated_at TEXT);

-- A table that an earlier system left behind: its names drifted, and `status` was never filled.
CREATE TABLE crm_accounts (account_no TEXT PRIMARY KEY, org_name TEXT NOT NULL, e_mail TEXT NOT NULL, status TEXT NOT NULL,
  state_code TEXT NOT NULL, kind TEXT NOT NULL, assignee_id TEXT NOT NULL, create_date TEXT NOT NULL, total TEXT NOT NULL);

-- The witness.
CREATE TABLE calls (seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,
  arguments TEXT NOT NULL, key TEXT, outcome TEXT NOT NULL, message TEXT, applied INTEGER NOT NULL, fault TEXT);
CREATE TABLE effects (seq INTEGER PRIMARY KEY AUTOINCREMENT, call_seq INTEGER NOT NULL, at TEXT NOT NULL,
  tool TEXT NOT NULL, arguments TEXT NOT NULL, key TEXT, target TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL);
CREATE TABLE keys (tool TEXT NOT NULL, key TEXT NOT NULL, arguments TEXT NOT NULL, answer TEXT NOT NULL,
  PRIMARY KEY (tool, key)) WITHOUT ROWID;
CREATE TABLE late_writes (call_seq INTEGER PRIMARY KEY, tool TEXT NOT NULL, arguments TEXT NOT NULL, key TEXT,
  reads_left INTEGER, due_ms INTEGER);
