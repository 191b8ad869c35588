"""A second opinion on every function of purple-finance.

Written from the definitions in docs/spec/money.md with Python's decimal, fractions and datetime, and from nothing else.
An answer is a dict of texts; a refusal is the exception Refused. Nothing here needs to be quick.
"""

import datetime
import decimal
import re
import statistics
from decimal import Decimal
from fractions import Fraction

decimal.getcontext().prec = 400
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN

DIGITS = {"USD": 2, "EUR": 2, "GBP": 2, "SGD": 2, "JPY": 0, "KWD": 3, "CLF": 4}
MODES = {
    "half_even": decimal.ROUND_HALF_EVEN,
    "half_up": decimal.ROUND_HALF_UP,
    "half_down": decimal.ROUND_HALF_DOWN,
    "up": decimal.ROUND_UP,
    "down": decimal.ROUND_DOWN,
    "ceiling": decimal.ROUND_CEILING,
    "floor": decimal.ROUND_FLOOR,
}


class Refused(Exception):
    pass


def refuse_unless(condition):
    if not condition:
        raise Refused()


# --- numbers as text -------------------------------------------------------------------------------------------------


def number(text):
    refuse_unless(re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", text, re.ASCII))
    refuse_unless(sum(c.isdigit() for c in text) <= 30)
    return Fraction(Decimal(text))


def whole(text):
    value = number(text)
    refuse_unless(value.denominator == 1)
    return int(value)


def count(text):
    value = whole(text)
    refuse_unless(0 <= value < 2**32)
    return value


def percent(text):
    """The number before the sign, over a hundred."""
    refuse_unless(text.endswith("%"))
    return number(text[:-1]) / 100


class Money:
    def __init__(self, minor, currency):
        refuse_unless(currency in DIGITS)
        refuse_unless(-(2**127) <= minor < 2**127)
        self.minor, self.currency = minor, currency

    @staticmethod
    def read(text):
        amount, _, currency = text.partition(" ")
        refuse_unless(currency in DIGITS)
        value = number(amount) * 10 ** DIGITS[currency]
        refuse_unless(value.denominator == 1)
        return Money(int(value), currency)

    @property
    def value(self):
        return Fraction(self.minor, 10 ** DIGITS[self.currency])

    def like(self, minor):
        return Money(minor, self.currency)

    def __str__(self):
        return f"{fixed(self.value, DIGITS[self.currency])} {self.currency}"


def same_currency(*amounts):
    refuse_unless(len({amount.currency for amount in amounts}) == 1)


def to_decimal(value):
    """As a Decimal: exact if it is finite, cut off after 400 digits if not (which then is neither even nor a tie)."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def rounded(value, places, mode="half_even"):
    return Fraction(to_decimal(value).quantize(Decimal(1).scaleb(-places), rounding=MODES[mode]))


def money_of(value, currency, mode="half_even"):
    """This many of the currency, rounded to its minor unit."""
    refuse_unless(currency in DIGITS)
    return Money(int(rounded(value * 10 ** DIGITS[currency], 0, mode)), currency)


def fixed(value, places):
    sign = "-" if value < 0 else ""
    units = abs(value) * 10**places
    assert units.denominator == 1
    digits = str(units.numerator).rjust(places + 1, "0")
    return sign + (digits[: len(digits) - places] + "." + digits[len(digits) - places :] if places else digits)


def plain(value):
    """Plain decimals if they are finite, else a fraction."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        exponent = 0
        while rest % prime == 0:
            rest //= prime
            exponent += 1
        places = max(places, exponent)
    return fixed(value, places) if rest == 1 else f"{value.numerator}/{value.denominator}"


def rate_text(fraction):
    return plain(fraction * 100) + "%"


def date(text):
    refuse_unless(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII))
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise Refused() from None


def share(fraction):
    refuse_unless(0 <= fraction <= 1)


def root(value, places, mode):
    """A finite root is exact in 400 digits; any other is cut off, which then is neither even nor a tie."""
    return Fraction(to_decimal(value).sqrt().quantize(Decimal(1).scaleb(-places), rounding=MODES[mode]))


def parts_of(total, n):
    """Equal parts in minor units: the ones larger in magnitude first."""
    sign = -1 if total < 0 else 1
    each, rest = divmod(abs(total), n)
    return [sign * (each + (1 if k < rest else 0)) for k in range(n)]


# --- the functions ---------------------------------------------------------------------------------------------------


def prorated_amount(a, mode):
    total, used, days = Money.read(a["total"]), count(a["days_used"]), count(a["total_days"])
    refuse_unless(days > 0 and used <= days)
    remaining = money_of(total.value * (days - used) / days, total.currency, mode)
    return {"remaining": str(remaining), "used": str(total.like(total.minor - remaining.minor))}


def prorated_for_period(a, mode):
    total, k, n = Money.read(a["total"]), count(a["period_num"]), count(a["total_periods"])
    refuse_unless(1 <= k <= n)
    return {"amount": str(total.like(parts_of(total.minor, n)[k - 1]))}


def apply_early_termination_fee(a, mode):
    remaining, pct = Money.read(a["remaining"]), percent(a["fee_pct"])
    refuse_unless(remaining.minor >= 0)
    share(pct)
    fee = money_of(remaining.value * pct, remaining.currency, mode)
    return {"fee": str(fee), "net_refund": str(remaining.like(remaining.minor - fee.minor))}


def apply_variance_check(a, mode):
    invoiced, po, threshold = Money.read(a["invoiced"]), Money.read(a["po"]), percent(a["threshold_pct"])
    same_currency(invoiced, po)
    refuse_unless(po.minor > 0 and invoiced.minor >= 0 and threshold >= 0)
    ratio = (invoiced.value - po.value) / po.value
    return {
        "variance": str(po.like(invoiced.minor - po.minor)),
        "variance_percent": plain(rounded(ratio * 100, 6, mode)) + "%",
        "exact_percent": rate_text(ratio),
        "exceeds": abs(ratio) > threshold,
    }


def compute_sla_credit(a, mode):
    downtime = [number(x) for x in a["downtime"]]
    most, pct = number(a["sla_max"]), percent(a["credit_pct"])
    invoice, cap = Money.read(a["invoice"]), Money.read(a["cap"])
    same_currency(invoice, cap)
    refuse_unless(downtime and min(downtime) >= 0 and most >= 0 and invoice.minor >= 0 and cap.minor >= 0)
    share(pct)
    breaches = len([x for x in downtime if x > most])
    each = money_of(invoice.value * pct, invoice.currency, mode)
    uncapped = invoice.like(each.minor * breaches)
    return {
        "breaches": str(breaches),
        "credit_each": str(each),
        "uncapped": str(uncapped),
        "credit": str(invoice.like(min(uncapped.minor, cap.minor))),
        "capped": uncapped.minor > cap.minor,
    }


def sla_penalty(a, mode):
    excess, total = number(a["excess_minutes"]), number(a["total_minutes"])
    fee, multiplier = Money.read(a["monthly_fee"]), number(a["multiplier"])
    refuse_unless(total > 0 and 0 <= excess <= total and fee.minor >= 0 and multiplier > 0)
    return {"penalty": str(money_of(excess / total * fee.value * multiplier, fee.currency, mode))}


def sla_downtime(a, mode):
    target, measured = percent(a["target_pct"]), percent(a["measured_pct"])
    total = number(a.get("total_minutes", "43200"))
    share(target)
    share(measured)
    refuse_unless(total > 0)
    allowed, actual = (1 - target) * total, (1 - measured) * total
    return {"allowed": plain(allowed), "actual": plain(actual), "excess": plain(max(actual - allowed, Fraction(0)))}


def apply_sub_limit(a, mode):
    claimed, sub = Money.read(a["claimed"]), Money.read(a["sub_limit"])
    rider = Money.read(a["rider_limit"]) if "rider_limit" in a else None
    every = [claimed, sub] + ([rider] if rider else [])
    same_currency(*every)
    refuse_unless(all(amount.minor >= 0 for amount in every))
    limit = max(amount.minor for amount in every[1:])
    payable = min(claimed.minor, limit)
    return {
        "payable": str(claimed.like(payable)),
        "excess": str(claimed.like(claimed.minor - payable)),
        "limit": str(claimed.like(limit)),
        "by_rider": limit != sub.minor,
    }


def compute_gift_card_capacity(a, mode):
    balance, incoming, limit = (Money.read(a[name]) for name in ("balance", "incoming", "limit"))
    same_currency(balance, incoming, limit)
    refuse_unless(0 <= balance.minor <= limit.minor and incoming.minor >= 0)
    capacity = limit.minor - balance.minor
    accepted = min(incoming.minor, capacity)
    return {
        "capacity": str(balance.like(capacity)),
        "accepted": str(balance.like(accepted)),
        "overflow": str(balance.like(incoming.minor - accepted)),
        "balance_after": str(balance.like(balance.minor + accepted)),
        "overflows": incoming.minor > capacity,
    }


def amortize_loan(a, mode):
    principal, yearly, months = Money.read(a["principal"]), percent(a["rate"]), count(a["months"])
    refuse_unless(principal.minor > 0 and yearly >= 0 and 1 <= months <= 1200)
    # The payment is the principal over what one unit a month is worth today. Fractions, because it can be a tie.
    rate = yearly / 12
    worth = Fraction(months) if rate == 0 else (1 - (1 + rate) ** -months) / rate
    payment = int(rounded(principal.minor / worth, 0, mode))
    balance, rows = principal.minor, []
    for month in range(1, months + 1):
        interest = int(rounded(balance * yearly / 12, 0, mode))
        back = balance if month == months else min(payment - interest, balance)
        balance -= back
        rows.append((month, interest + back, interest, back, balance))
    show = lambda minor: str(principal.like(minor))
    interest = sum(row[2] for row in rows)
    return {
        "payment": show(payment),
        "last_payment": show(rows[-1][1]),
        "total_interest": show(interest),
        "total_paid": show(principal.minor + interest),
        "schedule": [
            {"month": str(m), "payment": show(p), "interest": show(i), "principal": show(b), "balance": show(o)}
            for m, p, i, b, o in rows
        ],
    }


def straight_line_depreciation(a, mode):
    cost, salvage, life = Money.read(a["cost"]), Money.read(a["salvage"]), count(a["life_months"])
    same_currency(cost, salvage)
    refuse_unless(cost.minor > 0 and 0 <= salvage.minor <= cost.minor and 1 <= life <= 1200)
    base = cost.minor - salvage.minor
    months = [str(cost.like(part)) for part in parts_of(base, life)]
    return {"base": str(cost.like(base)), "first_month": months[0], "last_month": months[-1], "schedule": months}


def recognize_revenue(a, mode):
    value, months, elapsed = Money.read(a["value"]), count(a["months"]), count(a["elapsed"])
    refuse_unless(value.minor >= 0 and months > 0 and elapsed <= months)
    earned = sum(parts_of(value.minor, months)[:elapsed])
    return {"recognized": str(value.like(earned)), "deferred": str(value.like(value.minor - earned))}


def net_price_delta(a, mode):
    def lines(rows):
        found = {}
        for row in rows:
            quantity, price = number(row["quantity"]), Money.read(row["unit_price"])
            refuse_unless(quantity >= 0 and price.minor >= 0 and row["id"] not in found)
            found[row["id"]] = money_of(quantity * price.value, price.currency, mode)
        return found

    before, after = lines(a["original"]), lines(a.get("modified", []))
    cancelled = a.get("cancelled_ids", [])
    refuse_unless(before)
    refuse_unless(len(set(cancelled)) == len(cancelled))
    refuse_unless(set(cancelled) <= set(before) and not set(cancelled) & set(after))
    first = next(iter(before.values()))
    same_currency(*before.values(), *after.values())
    delta = sum(x.minor for x in after.values()) - sum(before[i].minor for i in after if i in before)
    delta -= sum(before[i].minor for i in cancelled)
    settlement = "refund" if delta < 0 else "charge" if delta > 0 else "even"
    return {"delta": str(first.like(delta)), "settlement": settlement}


def flows_of(a):
    flows = [Money.read(x) for x in a["cash_flows"]]
    refuse_unless(1 <= len(flows) <= 600)
    same_currency(*flows)
    return flows


def npv(a, mode):
    rate, flows = percent(a["rate"]), flows_of(a)
    refuse_unless(1 + rate > 0)
    worth = sum(flow.value / (1 + rate) ** t for t, flow in enumerate(flows))
    return {"npv": str(money_of(worth, flows[0].currency, mode)), "periods": str(len(flows))}


def irr(a, mode):
    flows = [flow.minor for flow in flows_of(a)]
    signs = [flow > 0 for flow in flows if flow]
    refuse_unless(sum(x != y for x, y in zip(signs, signs[1:])) == 1)

    def worth(growth):
        """The value at the end instead of today: the same sign, and no division."""
        value = Decimal(0)
        for flow in flows:
            value = value * growth + flow
        return value

    with decimal.localcontext() as context:
        context.prec = 120
        low, high = Decimal("0.00000001"), Decimal("10001")
        at_low, at_high = worth(low), worth(high)
        refuse_unless(at_low == 0 or at_high == 0 or (at_low > 0) != (at_high > 0))
        for _ in range(160):
            middle = (low + high) / 2
            at_middle = worth(middle)
            if at_middle != 0 and (at_middle > 0) == (at_low > 0):
                low = middle
            else:
                high = middle
        # A rate with few digits is exact; the search only comes close to it.
        for guess in (high.quantize(Decimal("1e-12")), low.quantize(Decimal("1e-12"))):
            if sum(Fraction(flow) / Fraction(guess) ** t for t, flow in enumerate(flows)) == 0:
                high = guess
        rate = ((high - 1) * 100).quantize(Decimal("0.000001"), rounding=MODES[mode])
    return {"rate": plain(Fraction(rate)) + "%"}


def dso(a, mode):
    owed, sold = Money.read(a["receivables"]), Money.read(a["credit_sales"])
    days = count(a.get("days", "365"))
    same_currency(owed, sold)
    refuse_unless(owed.minor >= 0 and sold.minor > 0 and days > 0)
    return {"dso": plain(rounded(owed.value / sold.value * days, 2, mode))}


def bad_debt_reserve(a, mode):
    refuse_unless(a["buckets"])
    losses = []
    for bucket in a["buckets"]:
        amount, pct = Money.read(bucket["amount"]), percent(bucket["loss_pct"])
        refuse_unless(amount.minor >= 0)
        share(pct)
        losses.append(money_of(amount.value * pct, amount.currency, mode))
    same_currency(*losses)
    return {"reserve": str(losses[0].like(sum(loss.minor for loss in losses)))}


def economic_order_quantity(a, mode):
    demand, order, holding = number(a["annual_demand"]), Money.read(a["order_cost"]), Money.read(a["holding_cost"])
    same_currency(order, holding)
    refuse_unless(demand > 0 and order.minor > 0 and holding.minor > 0)
    return {"quantity": plain(root(2 * demand * order.value / holding.value, 2, mode))}


def safety_stock(a, mode):
    level, deviation, lead = percent(a["service_level"]), number(a["demand_deviation"]), number(a["lead_time"])
    demand, wobble = number(a.get("daily_demand", "0")), number(a.get("lead_time_deviation", "0"))
    known = ["50", "75", "80", "85", "90", "95", "97.5", "98", "99", "99.5", "99.9", "99.99"]
    refuse_unless(level in [Fraction(x) / 100 for x in known])
    refuse_unless(deviation >= 0 and lead > 0 and demand >= 0 and wobble >= 0)
    z = Fraction(f"{statistics.NormalDist().inv_cdf(float(level)):.4f}")
    square = z**2 * (lead * deviation**2 + demand**2 * wobble**2)
    return {"z": plain(z), "quantity": plain(root(square, 2, mode)), "units": plain(root(square, 0, "up"))}


def overtime(a, mode):
    rate = Money.read(a["hourly_rate"])
    rule = a.get("rule", "federal")
    refuse_unless(rule in ("federal", "california") and rate.minor > 0)
    days = [number(x) for x in a["daily_hours"]] if "daily_hours" in a else None
    week = number(a["hours"]) if "hours" in a else None
    refuse_unless(days is not None or week is not None)
    if days is not None:
        refuse_unless(1 <= len(days) <= 7 and all(0 <= hours <= 24 for hours in days))
        refuse_unless(week is None or week == sum(days))
        week = sum(days)
    refuse_unless(0 <= week <= 168)
    straight = half = double = Fraction(0)
    if rule == "california" and days is not None:
        seventh = len(days) == 7 and all(days)
        for index, hours in enumerate(days):
            if seventh and index == 6:
                half += min(hours, 8)
                double += max(hours - 8, 0)
            else:
                straight += min(hours, 8)
                half += max(min(hours, 12) - 8, 0)
                double += max(hours - 12, 0)
    else:
        straight = week
    half += max(straight - 40, 0)
    straight = min(straight, Fraction(40))
    pay = [money_of(rate.value * h * m, rate.currency, mode) for h, m in
           ((straight, 1), (half, Fraction(3, 2)), (double, 2))]
    return {
        "regular_hours": plain(Fraction(straight)),
        "overtime_hours": plain(Fraction(half)),
        "double_hours": plain(Fraction(double)),
        "overtime_pay": str(rate.like(sum(p.minor for p in pay[1:]))),
        "total": str(rate.like(sum(p.minor for p in pay))),
    }


def add_vat(a, mode):
    net, rate = Money.read(a["net"]), percent(a["rate"])
    refuse_unless(rate >= 0)
    tax = money_of(net.value * rate, net.currency, mode)
    return {"net": str(net), "tax": str(tax), "gross": str(net.like(net.minor + tax.minor))}


def extract_vat(a, mode):
    gross, rate = Money.read(a["gross"]), percent(a["rate"])
    refuse_unless(rate >= 0)
    tax = money_of(gross.value * rate / (1 + rate), gross.currency, mode)
    return {"net": str(gross.like(gross.minor - tax.minor)), "tax": str(tax), "gross": str(gross)}


def withhold(a, mode):
    gross, rate = Money.read(a["gross"]), percent(a["rate"])
    refuse_unless(gross.minor >= 0)
    share(rate)
    held = money_of(gross.value * rate, gross.currency, mode)
    return {"withheld": str(held), "net": str(gross.like(gross.minor - held.minor))}


def convert_currency(a, mode):
    amount, rate = Money.read(a["amount"]), number(a["rate"])
    refuse_unless(rate > 0 and a["to"] in DIGITS and a["to"] != amount.currency)
    return {"converted": str(money_of(amount.value * rate, a["to"], mode))}


def late_fee(a, mode):
    amount, rate = Money.read(a["amount"]), percent(a["annual_rate"])
    late, grace, year = count(a["days_late"]), count(a.get("grace_days", "0")), count(a.get("year_days", "365"))
    refuse_unless(amount.minor >= 0 and rate >= 0 and year in (360, 365, 366))
    days = max(late - grace, 0)
    fee = money_of(amount.value * rate * days / year, amount.currency, mode)
    return {"charged_days": days, "fee": str(fee), "total_due": str(amount.like(amount.minor + fee.minor))}


# --- dates -----------------------------------------------------------------------------------------------------------


def nth_weekday(year, month, weekday, n):
    days = [d for d in (datetime.date(year, month, 1) + datetime.timedelta(k) for k in range(31))
            if d.month == month and d.weekday() == weekday]
    return days[n]


def us_federal(year):
    fixed_days = [datetime.date(year, 1, 1), datetime.date(year, 7, 4), datetime.date(year, 11, 11),
                  datetime.date(year, 12, 25)] + ([datetime.date(year, 6, 19)] if year >= 2021 else [])
    shift = {5: -1, 6: 1}
    observed = {d + datetime.timedelta(shift.get(d.weekday(), 0)) for d in fixed_days}
    return observed | {nth_weekday(year, 1, 0, 2), nth_weekday(year, 2, 0, 2), nth_weekday(year, 5, 0, -1),
                       nth_weekday(year, 9, 0, 0), nth_weekday(year, 10, 0, 1), nth_weekday(year, 11, 3, 3)}


def easter_sunday(year):
    """Gauss's rule with the century terms computed."""
    a, b, c = year % 19, year % 4, year % 7
    k = year // 100
    p, q = (13 + 8 * k) // 25, k // 4
    m, n = (15 - p + k - q) % 30, (4 + k - q) % 7
    d = (19 * a + m) % 30
    e = (2 * b + 4 * c + 6 * d + n) % 7
    if d == 29 and e == 6:
        return datetime.date(year, 4, 19)
    if d == 28 and e == 6 and (11 * m + 11) % 30 < 19:
        return datetime.date(year, 4, 18)
    return datetime.date(year, 3, 22) + datetime.timedelta(d + e)


def target(year):
    easter = easter_sunday(year)
    return {datetime.date(year, 1, 1), easter - datetime.timedelta(2), easter + datetime.timedelta(1),
            datetime.date(year, 5, 1), datetime.date(year, 12, 25), datetime.date(year, 12, 26)}


TABLES = {"weekends": (lambda year: set(), 1, 9999), "us_federal": (us_federal, 1986, 2199), "target": (target, 2002, 2199)}
CACHE = {}


def is_working(day, name, extra):
    table, first, last = TABLES[name]
    refuse_unless(first <= day.year <= last)
    if (name, day.year) not in CACHE:
        # New Year's Day of the next year may be kept in this one.
        CACHE[name, day.year] = table(day.year) | (table(day.year + 1) if day.year < last else set())
    return day.weekday() < 5 and day not in CACHE[name, day.year] and day not in extra


def calendar_of(a):
    name = a.get("calendar", "weekends")
    refuse_unless(name in TABLES)
    return name, {date(x) for x in a.get("holidays", [])}


def working_days(a, mode):
    name, extra = calendar_of(a)
    first, last = date(a["from"]), date(a["to"])
    refuse_unless(first <= last and (last - first).days <= 73_000)
    every = (first + datetime.timedelta(k) for k in range((last - first).days + 1))
    return {"days": sum(is_working(day, name, extra) for day in every)}


def add_working_days(a, mode):
    name, extra = calendar_of(a)
    day, left = date(a["from"]), whole(a["days"])
    refuse_unless(abs(left) <= 73_000)
    step = 1 if left > 0 else -1
    while left:
        day += datetime.timedelta(step)
        left -= step if is_working(day, name, extra) else 0
    return {"date": day.isoformat()}


def aging_buckets(a, mode):
    rows = [(r["id"], Money.read(r["amount"]), date(r["due"])) for r in a["receivables"]]
    as_of = date(a["as_of"])
    bounds = [whole(x) for x in a.get("bounds", ["30", "60", "90"])]
    refuse_unless(rows and 1 <= len(bounds) <= 12 and 0 < bounds[0] and max(bounds) < 2**32)
    refuse_unless(all(x < y for x, y in zip(bounds, bounds[1:])))
    same_currency(*(amount for _, amount, _ in rows))
    edges = [(None, 0, "not due")]
    edges += [(low + 1, high, f"{low + 1}-{high}") for low, high in zip([0] + bounds, bounds)]
    edges += [(bounds[-1] + 1, None, f"over {bounds[-1]}")]
    like = rows[0][1].like
    buckets = []
    for low, high, label in edges:
        inside = [(i, amount) for i, amount, due in rows
                  if (low is None or (as_of - due).days >= low) and (high is None or (as_of - due).days <= high)]
        buckets.append({"label": label, "amount": str(like(sum(x.minor for _, x in inside))),
                        "ids": [i for i, _ in inside]})
    return {"buckets": buckets, "total": str(like(sum(x.minor for _, x, _ in rows)))}


def day_count(a, mode):
    first, last = date(a["from"]), date(a["to"])
    convention = a.get("convention", "actual_365")
    refuse_unless(first <= last)
    actual = (last - first).days
    if convention in ("thirty_360", "thirty_e_360"):
        d1, d2 = first.day, last.day
        if convention == "thirty_360":
            d1 = 30 if d1 == 31 else d1
            d2 = 30 if d2 == 31 and d1 in (30, 31) else d2
        else:
            d1, d2 = (30 if d == 31 else d for d in (d1, d2))
        days = (last.year - first.year) * 360 + (last.month - first.month) * 30 + d2 - d1
        fraction = Fraction(days, 360)
    elif convention == "actual_365":
        days, fraction = actual, Fraction(actual, 365)
    elif convention == "actual_360":
        days, fraction = actual, Fraction(actual, 360)
    elif convention == "actual_actual":
        leap = lambda year: year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        each = [first + datetime.timedelta(k) for k in range(actual)]
        in_leap = sum(leap(day.year) for day in each)
        days, fraction = actual, Fraction(in_leap, 366) + Fraction(actual - in_leap, 365)
    else:
        raise Refused()
    return {"days": days, "year_fraction": plain(fraction)}


# --- sharing out -----------------------------------------------------------------------------------------------------


def split_amount(a, mode):
    total, n = Money.read(a["total"]), count(a["parts"])
    refuse_unless(1 <= n <= 10_000)
    return {"parts": [str(total.like(part)) for part in parts_of(total.minor, n)]}


def allocate_amount(a, mode):
    total, weights = Money.read(a["total"]), [number(x) for x in a["weights"]]
    refuse_unless(weights and min(weights) >= 0 and sum(weights) > 0)
    ideal = [abs(total.minor) * weight / sum(weights) for weight in weights]
    units = [int(x) for x in ideal]
    order = sorted(range(len(ideal)), key=lambda k: (-(ideal[k] - units[k]), k))
    for k in order[: abs(total.minor) - sum(units)]:
        units[k] += 1
    sign = -1 if total.minor < 0 else 1
    return {"parts": [str(total.like(sign * unit)) for unit in units]}


# --- the ground under the functions ----------------------------------------------------------------------------------


def bounded(value):
    refuse_unless(max(abs(value.numerator), value.denominator) < 2**256)
    return value


def fraction(text):
    numerator, _, denominator = text.partition("/")
    return bounded(Fraction(Decimal(numerator)) if not denominator else Fraction(int(numerator), int(denominator)))


def exact_arithmetic(a, mode):
    left, right = fraction(a["left"]), fraction(a["right"])
    if a["operation"] == "over":
        refuse_unless(right != 0)
    result = {
        "plus": lambda: left + right,
        "minus": lambda: left - right,
        "times": lambda: left * right,
        "over": lambda: left / right,
    }[a["operation"]]()
    return {"result": plain(bounded(result))}


def exact_order(a, mode):
    left, right = fraction(a["left"]), fraction(a["right"])
    return {"order": "less" if left < right else "greater" if left > right else "equal"}


def exact_rounded(a, mode):
    value, places = fraction(a["value"]), int(a["places"])
    result = rounded(value, places, mode)
    return {"rounded": plain(result), "fixed": fixed(result, places)}


def money_written(a, mode):
    """What a person may write: see the table in docs/spec/money.md."""
    text = a["text"].strip(" ")
    code = r"(?:US\$|\$|€|£|[A-Z]{3})"
    shape = re.fullmatch(rf"(-?)(?:({code}) ?(-?))?([0-9.,]+)(?: ?({code}))?", text, re.ASCII)
    refuse_unless(shape)
    outer, before, inner, digits, after = shape.groups()
    refuse_unless(not (outer and inner))
    names = {"US$": "USD", "$": "USD", "€": "EUR", "£": "GBP"}
    currencies = {names.get(c, c) for c in (before, after) if c}
    refuse_unless(len(currencies) == 1)
    currency = currencies.pop()
    refuse_unless(currency in DIGITS)
    refuse_unless(re.fullmatch(r"([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]+)?", digits, re.ASCII))
    refuse_unless(not re.match(r"0[0-9,]", digits))
    refuse_unless(sum(c.isdigit() for c in digits) <= 30)
    lone_comma = digits.count(",") == 1 and "." not in digits
    refuse_unless(not (lone_comma and DIGITS[currency] >= 3))
    value = Fraction(Decimal(digits.replace(",", ""))) * (-1 if outer or inner else 1)
    minor = value * 10 ** DIGITS[currency]
    refuse_unless(minor.denominator == 1)
    decimals = len(digits.partition(".")[2])
    refuse_unless(not (decimals == 3 and DIGITS[currency] < 3))
    return {"money": str(Money(int(minor), currency))}


FUNCTIONS = [
    prorated_amount, prorated_for_period, apply_early_termination_fee, apply_variance_check, compute_sla_credit,
    sla_penalty, sla_downtime, apply_sub_limit, compute_gift_card_capacity, amortize_loan, straight_line_depreciation,
    recognize_revenue, net_price_delta, npv, irr, dso, bad_debt_reserve, economic_order_quantity, safety_stock,
    overtime, add_vat, extract_vat, withhold, convert_currency, late_fee, working_days, add_working_days,
    aging_buckets, day_count, split_amount, allocate_amount, exact_arithmetic, exact_order, exact_rounded,
    money_written,
]
BY_NAME = {function.__name__: function for function in FUNCTIONS}


def answer(name, arguments):
    """The values, or None if the case must be refused."""
    try:
        mode = arguments.get("rounding", "half_even")
        refuse_unless(mode in MODES)
        return BY_NAME[name](arguments, mode)
    except Refused:
        return None
