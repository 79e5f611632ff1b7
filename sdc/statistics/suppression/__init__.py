"""Which values must go missing so that no record is in a class smaller than k?"""
