"""The atlas: all records in one value."""

from typing import Final

from capax.atlas.classes import CLASSES, CONJECTURES, INCLUSIONS
from capax.atlas.further_results import FURTHER
from capax.atlas.languages import HARDNESS, LANGUAGES, MEMBERSHIPS
from capax.atlas.notes import REMARKS
from capax.atlas.own_results import OWN
from capax.atlas.recent_results import LATER
from capax.atlas.records import Atlas
from capax.atlas.survey import SURVEY
from capax.atlas.variants import VARIANTS

ATLAS: Final = Atlas(
    claims=(*SURVEY, *LATER, *FURTHER, *OWN),
    classes=CLASSES,
    inclusions=INCLUSIONS,
    languages=LANGUAGES,
    memberships=MEMBERSHIPS,
    hardness=HARDNESS,
    conjectures=CONJECTURES,
    variants=VARIANTS,
    remarks=REMARKS,
)
