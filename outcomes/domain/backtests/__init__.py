"""What other rules would have said of calls that happened: values in, values out."""
