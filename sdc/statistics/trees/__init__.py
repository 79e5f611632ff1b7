"""Trees: for classification, for conditional inference, and with donors in their leaves."""
