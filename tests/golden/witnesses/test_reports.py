"""What the second look says of a witness of each kind, word for word."""

import json
from pathlib import Path

from capax.limits.witnesses.check.fooling_check import check_witness
from capax.limits.witnesses.check.net_check import check_net_witness
from capax.limits.witnesses.check.read_witness import read_witness
from tests.golden.conftest import Golden
from tests.support.witness_subjects import NETS, SUBJECTS, witness_of


def test_reports(golden: Golden) -> None:
    found = []
    for name, (model, _, _) in SUBJECTS.items():
        found.append(f"{name}\n{check_witness(read_witness(witness_of(name), 'w'), model)}\n")
    for name, net in NETS.items():
        found.append(f"{name}\n{check_net_witness(witness_of(name), json.dumps(net), 'w')}\n")
    assert all("\nyes (exact): the witness holds\n" in text for text in found)
    golden(Path(__file__).parent / "reports.txt", "\n".join(found))
