module example.test/profiled

go 1.23
