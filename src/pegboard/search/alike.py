"""Everyday words that are one letter away from others: who writes one of them means it. English; a table.

That no tool has such a word is no sign of a slip: "garbage" is not "garage", nor a "massage" a "message". Pairs that
people do mix up in writing, such as "desert" and "dessert", are not here. From general knowledge of the language.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from pegboard.search.text import stem

_WORDS: Final = """
    angel baker banker barely barley basket bather battle beard beaver bishop bitter blanket bother bottle bowler boxer
    breath bridge brother bruise butter candle carrot carton cartoon castle cattle cellar cherry closest closet clown
    cobra coffee coffer collage collar copper coroner corner corpse cotton county couple cracker cradle crayon cruise
    curtain dagger decade devil diaper dinner donkey dragon drawer drummer farmer father feather fiddle fiend fighter
    finger flavor flounder flower forehead fossil gallows gallop garbage garden garlic garnet genius gentle ginger
    goblin gravel hammer hamper hamster hearth heater heaven hostel hunger hunter insect jacket jelly jockey kettle
    kidney kitten ladder lather lawyer leather lemon lessen letter lizard lumber manger manners manor marble marker
    marrow massage master meadow midget minister mirror mister mitten monkey mother mouth muffin muscle mussel needle
    nephew noodle oyster packet paddle parrot pastor patent peach pebble pepper pickle pigeon pillow pirate pistol
    pocket police porter potion powder preach pudding pumpkin puppet rabbit racket ranger ribbon rocket rubber saddle
    sandal scandal scarf shovel shower singer slipper soccer spider spring stable staple statue steak streak strike
    supper surfer sweater sweeter sword tailor temper temple thicket threat throne thunder timber toilet towel trailer
    trainer triumph tunnel turkey turtle valley velvet violent violet volley vulture wander weaver widow window
    winter wizard wonder zipper
"""


@cache
def alike() -> frozenset[str]:
    """The stems of these words."""
    return frozenset(map(stem, _WORDS.split()))
