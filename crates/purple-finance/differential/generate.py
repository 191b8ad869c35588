"""Cases for every function: ordinary ones, edges, and ones that must be refused. One seed gives one set of cases."""

import datetime
import random
from fractions import Fraction

from oracle import DIGITS, MODES

MODE_NAMES = list(MODES)


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    # --- building blocks ---

    def chance(self, per_cent):
        return self.random.randrange(100) < per_cent

    def currency(self):
        return self.random.choice(["USD"] * 6 + ["EUR", "JPY", "KWD", "CLF"])

    def minor(self, signed=False):
        draw = self.random.randrange(20)
        if draw == 0:
            value = 0
        elif draw < 4:
            value = self.random.randrange(1, 200)
        elif draw < 6:
            # Multiples of odd tens make ties with common percentages.
            value = 5 * (2 * self.random.randrange(1, 100_000) + 1)
        elif draw < 17:
            value = self.random.randrange(1, 100_000_000)
        elif draw < 19:
            value = self.random.randrange(1, 10**14)
        else:
            value = self.random.randrange(1, 10**24)
        return -value if (signed and self.chance(40)) or self.chance(2) else value

    def money(self, currency, signed=False):
        return self.written(self.minor(signed), currency)

    def written(self, minor, currency):
        digits = DIGITS[currency]
        sign, text = ("-" if minor < 0 else ""), str(abs(minor)).rjust(digits + 1, "0")
        whole, decimals = text[: len(text) - digits], text[len(text) - digits :]
        if self.chance(2) and digits:
            decimals += "5"  # One digit more than the currency has.
        return f"{sign}{whole}{'.' + decimals if decimals else ''} {currency}"

    def other(self, currency):
        """The same currency, but for a few cases in which two of them meet."""
        return self.currency() if self.chance(3) else currency

    def number(self, top=10_000, places=4, signed=False):
        """A decimal of few digits."""
        draw = self.random.randrange(12)
        if draw == 0:
            text = "0"
        elif draw == 1:
            text = str(self.random.randrange(1, 10**9))
        else:
            scale = self.random.randrange(places + 1)
            value = Fraction(self.random.randrange(top * 10**scale), 10**scale)
            text = str(value.numerator) if value.denominator == 1 else f"{float(value):.{scale}f}"
        return "-" + text if (signed and self.chance(40)) or self.chance(1) else text

    def percent(self, top=100):
        draw = self.random.randrange(12)
        if draw == 0:
            return "0%"
        if draw == 1:
            return self.random.choice(["100%", "50%", "0.5%", "12.5%", "33.3333%", "2.0%", "250%", "-5%", "0.000001%"])
        if draw == 2:
            return self.random.choice(["5", "0.05", "5 percent", "1e1%", "1,5%", "%"])  # No rates at all.
        scale = self.random.randrange(5)
        value = self.random.randrange(top * 10**scale)
        text = str(value).rjust(scale + 1, "0")
        return (text[:-scale] + "." + text[-scale:] if scale else text) + "%"

    def count(self, top, low=1):
        draw = self.random.randrange(20)
        if draw == 0:
            return self.random.choice(["0", "-1", "1.5", "2.0", "00", "1e2", ""])
        return str(self.random.randrange(low, top + 1))

    def date(self, first=1990, last=2060):
        if self.chance(2):
            return self.random.choice(["2025-02-29", "2026-13-01", "01/02/2026", "2026-1-3", "1900-02-29", ""])
        start = datetime.date(first, 1, 1)
        days = (datetime.date(last, 12, 31) - start).days
        day = start + datetime.timedelta(self.random.randrange(days))
        if self.chance(15):
            # Ends of months and years are where calendars differ.
            day = self.random.choice([day.replace(day=1) - datetime.timedelta(1), day.replace(month=12, day=31),
                                      day.replace(month=1, day=1), day.replace(month=2, day=28)])
        return day.isoformat()

    def mode(self, arguments):
        if self.chance(70):
            arguments["rounding"] = self.random.choice(MODE_NAMES)
        elif self.chance(2):
            arguments["rounding"] = "bankers"
        return arguments

    # --- one maker a function ---

    def prorated_amount(self):
        days = self.random.choice([30, 31, 90, 360, 365, 366, self.random.randrange(1, 4000)])
        return self.mode({"total": self.money(self.currency(), True), "days_used": self.count(days + 1, 0),
                          "total_days": str(days) if self.chance(90) else self.count(days)})

    def prorated_for_period(self):
        periods = self.random.choice([3, 4, 7, 12, 36, 120, 1000])
        return {"total": self.money(self.currency(), True), "period_num": self.count(periods),
                "total_periods": str(periods) if self.chance(90) else self.count(periods)}

    def apply_early_termination_fee(self):
        return self.mode({"remaining": self.money(self.currency()), "fee_pct": self.percent()})

    def apply_variance_check(self):
        currency = self.currency()
        po = self.minor()
        if self.chance(25):
            # Exactly at, just over and just under the threshold.
            threshold = self.random.choice([1, 2, 3, 5, 10, 25])
            po = 100 * self.random.randrange(1, 100_000)
            invoiced = po + self.random.choice([1, -1]) * (po * threshold // 100) + self.random.choice([-1, 0, 0, 1])
            return self.mode({"invoiced": self.written(invoiced, currency), "po": self.written(po, currency),
                              "threshold_pct": f"{threshold}%"})
        invoiced = po + self.random.randrange(-po // 10 - 1, po // 10 + 2) if po > 0 else self.minor()
        return self.mode({"invoiced": self.written(invoiced, self.other(currency)),
                          "po": self.written(po, currency), "threshold_pct": self.percent(10)})

    def compute_sla_credit(self):
        currency = self.currency()
        most = self.number(100)
        downtime = [most if self.chance(15) else self.number(200) for _ in range(self.random.randrange(0, 13))]
        return self.mode({"downtime": downtime, "sla_max": most, "invoice": self.money(currency),
                          "credit_pct": self.percent(), "cap": self.money(self.other(currency))})

    def sla_penalty(self):
        total = self.random.choice(["43200", "44640", "40320", self.number()])
        return self.mode({"excess_minutes": self.number(5000), "total_minutes": total,
                          "monthly_fee": self.money(self.currency()), "multiplier": self.number(5)})

    def sla_downtime(self):
        near = lambda: f"{self.random.choice([99, 98, 90])}.{self.random.randrange(1000)}%"
        arguments = {"target_pct": near() if self.chance(80) else self.percent(),
                     "measured_pct": near() if self.chance(80) else self.percent()}
        if self.chance(70):
            arguments["total_minutes"] = self.number(50_000)
        return arguments

    def apply_sub_limit(self):
        currency = self.currency()
        arguments = {"claimed": self.money(currency), "sub_limit": self.money(self.other(currency))}
        if self.chance(60):
            arguments["rider_limit"] = self.money(self.other(currency))
        return arguments

    def compute_gift_card_capacity(self):
        currency = self.currency()
        limit = self.minor()
        balance = self.random.randrange(limit + 2) if limit > 0 and self.chance(85) else self.minor()
        incoming = self.random.choice([self.minor(), max(limit - balance, 0), max(limit - balance, 0) + 1])
        return {"balance": self.written(balance, currency), "incoming": self.written(incoming, self.other(currency)),
                "limit": self.written(limit, currency)}

    def amortize_loan(self):
        months = self.random.choice([1, 2, 3, 6, 12, 12, 24, 36, 60] + [360] * self.chance(5) + [1201] * self.chance(5))
        return self.mode({"principal": self.money(self.currency()), "rate": self.percent(30),
                          "months": str(months) if self.chance(90) else self.count(60)})

    def straight_line_depreciation(self):
        currency = self.currency()
        cost = self.minor()
        salvage = self.random.randrange(cost + 1) if cost > 0 and self.chance(90) else self.minor()
        life = self.random.choice([1, 7, 12, 36, 60, 84] + [1201] * self.chance(3))
        return {"cost": self.written(cost, currency), "salvage": self.written(salvage, self.other(currency)),
                "life_months": str(life) if self.chance(90) else self.count(84)}

    def recognize_revenue(self):
        months = self.random.choice([1, 3, 7, 12, 24, 36, 100])
        return {"value": self.money(self.currency()), "months": str(months) if self.chance(95) else self.count(36),
                "elapsed": self.count(months + 1, 0)}

    def net_price_delta(self):
        currency = self.currency()
        ids = ["A", "B", "C", "D", "E", "F"]
        price = lambda: self.money(currency if self.chance(99) else self.currency())
        line = lambda name: {"id": name, "quantity": self.number(50, 2), "unit_price": price()}
        original = [line(name) for name in ids[: self.random.randrange(1, 5)]]
        if self.chance(3):
            original = original[:1] * 2 if self.chance(50) else []
        rest = [row["id"] for row in original]
        self.random.shuffle(rest)
        cut = self.random.randrange(len(rest) + 1)
        cancelled, changed = rest[:cut], rest[cut:]
        changed = [name for name in changed if self.chance(50)] + ids[4 : self.random.randrange(4, 7)]
        if self.chance(4):
            cancelled = self.random.choice([cancelled + ["Z"], cancelled * 2, cancelled + changed])
        arguments = {"original": original}
        if changed or self.chance(20):
            arguments["modified"] = [line(name) for name in changed]
        if cancelled or self.chance(20):
            arguments["cancelled_ids"] = cancelled
        return self.mode(arguments)

    def flows(self, length):
        currency = self.currency()
        return [self.money(currency if self.chance(99) else self.currency(), True) for _ in range(length)]

    def npv(self):
        flows = self.flows(self.random.randrange(0, 12)) if self.chance(97) else ["1.00 USD"] * 601
        rate = self.random.choice(["-100%", "-100.01%", "-99.99%", "-20%"]) if self.chance(5) else self.percent(40)
        return self.mode({"rate": rate, "cash_flows": flows})

    def irr(self):
        if self.chance(8):
            return self.mode({"cash_flows": self.flows(self.random.randrange(0, 8))})
        if self.chance(12):
            # An exact rate, some of them on a tie in the seventh decimal.
            growth = 10**9 + 5 * self.random.randrange(-10**8, 10**8)
            return self.mode({"cash_flows": [f"-{10**9} JPY", f"{growth} JPY"]})
        currency = self.currency()
        paid = self.random.randrange(1, 3)
        flows = [-self.random.randrange(1, 10**7) for _ in range(paid)]
        flows += [self.random.randrange(0, 10**6) for _ in range(self.random.randrange(1, 10))]
        if self.chance(10):
            flows = [-flow for flow in flows]
        if self.chance(3):
            flows[-1] = 10**22
        return self.mode({"cash_flows": [self.written(flow, currency) for flow in flows]})

    def dso(self):
        currency = self.currency()
        arguments = {"receivables": self.money(currency), "credit_sales": self.money(self.other(currency))}
        if self.chance(70):
            arguments["days"] = self.count(366)
        return self.mode(arguments)

    def bad_debt_reserve(self):
        currency = self.currency()
        loss = lambda: self.percent() if self.chance(40) else f"{self.random.randrange(0, 200) / 2}%"
        bucket = lambda n: {"label": f"bucket {n}", "amount": self.money(self.other(currency) if n == 1 else currency),
                            "loss_pct": loss()}
        return self.mode({"buckets": [bucket(n) for n in range(self.random.randrange(0, 6))]})

    def economic_order_quantity(self):
        currency = self.currency()
        if self.chance(15):
            # Roots that come out even, or on a tie.
            root = Fraction(self.random.randrange(1, 10**7), self.random.choice([1, 100, 1000]))
            cost = f"{'0.5' if currency not in ('JPY',) else '1'} {currency}"
            demand = root * root if currency != "JPY" else root * root / 2
            scaled = demand * 10**7
            if scaled.denominator == 1:
                text = str(scaled.numerator).rjust(8, "0")
                return self.mode({"annual_demand": text[:-7] + "." + text[-7:], "order_cost": cost,
                                  "holding_cost": f"1 {currency}"})
        return self.mode({"annual_demand": self.number(100_000, 2), "order_cost": self.money(currency),
                          "holding_cost": self.money(self.other(currency))})

    def safety_stock(self):
        levels = ["50%", "75%", "80%", "85%", "90%", "95%", "97.5%", "98%", "99%", "99.5%", "99.9%", "99.99%", "9990 bp"]
        arguments = {"service_level": self.random.choice(levels[:-1]) if self.chance(95) else self.percent(),
                     "demand_deviation": self.number(1000, 2), "lead_time": self.number(60, 2)}
        if self.chance(50):
            arguments["daily_demand"] = self.number(1000, 2)
            arguments["lead_time_deviation"] = self.number(10, 2)
        return self.mode(arguments)

    def overtime(self):
        hours = lambda: self.random.choice(["8", "8.5", "12", "12.25", "0", "0", self.number(25, 2)])
        arguments = {"hourly_rate": self.money(self.currency())}
        days = self.random.choice([None, 5, 5, 6, 7, 7, 8])
        if days:
            worked = [hours() if self.chance(60) else str(self.random.randrange(1, 16)) for _ in range(days)]
            arguments["daily_hours"] = worked
        if days is None or self.chance(10):
            arguments["hours"] = self.random.choice(["40", "40.25", "52", self.number(180, 2)])
        if days and self.chance(10):
            total = sum(Fraction(text) for text in worked)
            if (total * 100).denominator == 1:
                arguments["hours"] = f"{float(total):.2f}"
        if self.chance(3):
            arguments.pop("hours", None)
        if self.chance(80):
            arguments["rule"] = self.random.choice(["federal", "california", "california"] + ["texas"] * self.chance(3))
        return self.mode(arguments)

    def add_vat(self):
        return self.mode({"net": self.money(self.currency(), True), "rate": self.percent(30)})

    def extract_vat(self):
        return self.mode({"gross": self.money(self.currency(), True), "rate": self.percent(30)})

    def withhold(self):
        return self.mode({"gross": self.money(self.currency()), "rate": self.percent()})

    def convert_currency(self):
        to = self.random.choice(["USD", "EUR", "JPY", "KWD", "GBP", "SGD", "CLF"] + ["usd", "ZZZ", ""] * self.chance(10))
        rate = self.random.choice(["1.091", "0.742", "149.505", "0.005", self.number(200, 6)])
        return self.mode({"amount": self.money(self.currency(), True), "rate": rate, "to": to})

    def late_fee(self):
        arguments = {"amount": self.money(self.currency()), "annual_rate": self.percent(30),
                     "days_late": self.count(400, 0)}
        if self.chance(50):
            arguments["grace_days"] = self.count(40, 0)
        if self.chance(50):
            arguments["year_days"] = self.random.choice(["360", "365", "366", "365", "364"])
        return self.mode(arguments)

    def calendar(self, arguments, around):
        if self.chance(75):
            arguments["calendar"] = self.random.choice(["us_federal", "target", "weekends"] + ["moon"] * self.chance(4))
        if self.chance(40):
            arguments["holidays"] = [self.near(around, 60) for _ in range(self.random.randrange(0, 5))]
        return arguments

    def near(self, text, days):
        try:
            return (datetime.date.fromisoformat(text) + datetime.timedelta(self.random.randrange(-days, days))).isoformat()
        except ValueError:
            return text

    def working_days(self):
        first = self.date(1980 if self.chance(10) else 2002)
        span = 3000 if self.chance(2) else 200
        try:
            start = datetime.date.fromisoformat(first)
            last = (start + datetime.timedelta(self.random.randrange(-5, span))).isoformat()
        except ValueError:
            last = self.date()
        return self.calendar({"from": first, "to": last}, first)

    def add_working_days(self):
        first = self.date(1984 if self.chance(10) else 2003)
        days = str(self.random.randrange(-60, 61)) if self.chance(97) else self.random.choice(["0", "73001", "1.5", "x"])
        return self.calendar({"from": first, "days": days}, first)

    def aging_buckets(self):
        currency = self.currency()
        as_of = self.date(2020, 2030)
        row = lambda n: {"id": f"INV-{n}", "amount": self.money(currency if self.chance(99) else "GBP", True),
                         "due": self.near(as_of, 150)}
        arguments = {"receivables": [row(n) for n in range(self.random.randrange(0, 8))], "as_of": as_of}
        if self.chance(30):
            arguments["bounds"] = self.random.choice(
                [["30", "60", "90"], ["7"], ["15", "30", "45", "60", "120"], ["30", "30"], ["60", "30"], ["0", "30"],
                 ["-5"], [str(n) for n in range(1, 13)], [str(n) for n in range(1, 14)], []])
        return arguments

    def day_count(self):
        first = self.date()
        last = self.near(first, 800) if self.chance(90) else self.date()
        if first > last and self.chance(90):
            first, last = last, first
        arguments = {"from": first, "to": last}
        if self.chance(90):
            arguments["convention"] = self.random.choice(
                ["actual_365", "actual_360", "actual_actual", "thirty_360", "thirty_e_360"] + ["30/360"] * self.chance(4))
        return arguments

    def split_amount(self):
        parts = self.random.choice([1, 2, 3, 7, 12, 60] + [10_001] * self.chance(3))
        return {"total": self.money(self.currency(), True), "parts": str(parts) if self.chance(90) else self.count(40)}

    def allocate_amount(self):
        weights = [self.number(100, 4) for _ in range(self.random.randrange(0, 9))]
        if self.chance(20):
            weights = ["1"] * len(weights)
        return {"total": self.money(self.currency(), True), "weights": weights}

    # --- the ground ---

    def exact(self):
        draw = self.random.randrange(10)
        if draw == 0:
            return self.random.choice(["0", "1", "-1", "0.5", "39614081257132168796771975167",
                                       "39614081257132168796771975168", "-39614081257132168796771975167",
                                       "0.0000000000000000000000000001", "0.00000000000000000000000000001"])
        if draw < 6:
            digits = self.random.randrange(1, 30)
            places = self.random.randrange(0, 30)
            value = self.random.randrange(-(10**digits), 10**digits)
            text = str(abs(value)).rjust(places + 1, "0")
            sign = "-" if value < 0 else ""
            return sign + (text[: len(text) - places] + "." + text[len(text) - places :] if places else text)
        bits = self.random.choice([8, 60, 128, 250, 256, 257])
        numerator = self.random.randrange(-(2**bits), 2**bits)
        return f"{numerator}/{self.random.randrange(1, 2 ** self.random.choice([4, 30, 100, 250, 257]))}"

    def exact_arithmetic(self):
        return {"left": self.exact(), "right": self.exact(), "operation": self.random.choice(["plus", "minus", "times", "over"])}

    def exact_order(self):
        left = self.exact()
        return {"left": left, "right": left if self.chance(10) else self.exact()}

    def exact_rounded(self):
        value = self.exact()
        if self.chance(40):
            # A tie, and its neighbours.
            places = self.random.randrange(0, 12)
            tie = Fraction(2 * self.random.randrange(-10**6, 10**6) + 1, 2 * 10**places)
            tie += self.random.choice([0, 0, 1, -1]) * Fraction(1, 10 ** self.random.choice([13, 20, 40]))
            return self.mode({"value": f"{tie.numerator}/{tie.denominator}", "places": str(places)})
        return self.mode({"value": value, "places": str(self.random.randrange(0, 40))})

    def money_written(self):
        if self.chance(15):
            return {"text": "".join(self.random.choice("0123456789.,-$€ USDEURKWe+()'") for _ in range(self.random.randrange(12)))}
        whole = str(self.random.randrange(10 ** self.random.randrange(1, 12)))
        grouped = f"{int(whole):,}"
        strange = [grouped.replace(",", "."), grouped.replace(",", " "), "0" + whole, whole + whole + whole]
        digits = self.random.choice([whole, grouped]) if self.chance(80) else self.random.choice(strange)
        decimals = self.random.choice(["", ".5", ".50", ".00"]) if self.chance(75) else self.random.choice([".505", ",50", ".1234", "."])
        sign = self.random.choice(["", "", "-"]) if self.chance(90) else self.random.choice(["+", "\u2212", "--"])
        code = self.random.choice(["USD", "EUR", "JPY", "KWD", "GBP", "CLF"]) if self.chance(92) else self.random.choice(["usd", "ZZZ"])
        shapes = [f"{sign}{digits}{decimals} {code}", f"{code} {sign}{digits}{decimals}", f"{sign}${digits}{decimals}",
                  f"${sign}{digits}{decimals}", f"€{digits}{decimals}", f"{digits}{decimals}€", f" {digits}{decimals} {code} "]
        if self.chance(15):
            shapes = [f"{digits}{decimals}", f"${digits}{decimals} {code}", f"({digits}{decimals} {code})"]
        return {"text": self.random.choice(shapes)}
