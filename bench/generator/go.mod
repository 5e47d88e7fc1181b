module daikon/bench/generator

go 1.24
