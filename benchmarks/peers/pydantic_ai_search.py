"""pydantic-ai's local tool search: words in common. Run by the interpreter of an environment that has pydantic-ai."""

from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets._tool_search import keywords_search_fn


def index(texts):
    """It keeps no index. The place stands as name, the text as description: it makes words of both alike."""
    tools = [ToolDefinition(name=str(place), description=text) for place, text in enumerate(texts)]

    def find(need, limit):
        return [int(name) for name in keywords_search_fn(None, [need], tools)[:limit]]

    return find
