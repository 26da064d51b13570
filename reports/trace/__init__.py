"""A trace in every form: text, JSON, ITF, Mermaid, a pytest file, a picture, and the page that tells its story."""
