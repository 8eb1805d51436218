module conventions
go 1.19
