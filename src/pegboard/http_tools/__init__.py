"""HTTP tools: tools that are data. A definition says which request a call becomes, and what of the reply is its result.

``files`` reads definitions and says what is wrong with them, ``template`` makes the request of a call, ``response`` the
result of a reply: pure code. ``tool`` sends, through the egress guard, and never raises.
"""
