module go-shop

go 1.25.0
