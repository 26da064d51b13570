"""What `neverlost suite` shows; the files that it writes are those of conformance.suite, which reads them again."""
