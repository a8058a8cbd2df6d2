"""tantivy with English stems, words joined by OR."""

import tantivy


def index(texts):
    """One field of text; the place is stored with it."""
    schema = (
        tantivy.SchemaBuilder()
        .add_text_field("body", tokenizer_name="en_stem")
        .add_unsigned_field("place", stored=True)
        .build()
    )
    found = tantivy.Index(schema)
    writer = found.writer(num_threads=1)
    for place, text in enumerate(texts):
        writer.add_document(tantivy.Document(body=text, place=place))
    writer.commit()
    writer.wait_merging_threads()
    found.reload()
    searcher = found.searcher()

    def find(need, limit):
        words = ("".join(filter(str.isalnum, word)) for word in need.split())
        query = " OR ".join(f'"{word}"' for word in words if word)
        if not query:
            return []
        hits = searcher.search(found.parse_query(query, ["body"]), limit).hits
        return [searcher.doc(address)["place"][0] for _, address in hits]

    return find
