"""Writes alike.csv: left, right, matched characters as difflib counts them, Levenshtein distance.

Run it in this folder: python3 alike.py > alike.csv
"""
import random
from difflib import SequenceMatcher
from itertools import combinations

NAMES = """client_name customer_name account_name company_name org_name amount value total price cost sum total_amount
user_id creator_id employee_id name title label display_name full_name category type classification group kind
email e_mail email_address contact_email mail status state stat state_code current_status owner_id owner assigned_to
assignee_id created_at created create_date creation_date created_date date_created timestamp updated_at updated
update_date modified_at last_modified modification_date description desc detail details notes comments body
vendor_id order_id invoice_no InvoiceTotal größe straße name_client""".split()


def distance(left, right):
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        new = [i]
        for j, b in enumerate(right, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (a != b)))
        row = new
    return row[-1]


def line(left, right):
    matched = sum(block.size for block in SequenceMatcher(None, left, right).get_matching_blocks())
    print(f"{left},{right},{matched},{distance(left, right)}")


for left, right in combinations(NAMES, 2):
    line(left, right)
    line(right, left)
chance = random.Random(1)
for _ in range(2000):
    size = chance.choice([3, 8, 20, 60])
    letters = chance.choice(["ab", "abc_", "abcdefgh_"])
    left, right = ("".join(chance.choice(letters) for _ in range(chance.randint(0, size))) for _ in "ab")
    line(left, right)
