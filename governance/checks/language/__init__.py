"""The language of named success checks: parser, compiler and matcher."""
