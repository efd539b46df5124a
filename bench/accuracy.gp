# SPDX-License-Identifier: Apache-2.0
# gnuplot -e "folder='build/accuracy'" bench/accuracy.gp
# Error of every figure over its cycles: the mean of seeds, with a bar from the least to the most.
set terminal svg size 900,420 noenhanced
set output folder.'/accuracy.svg'
set logscale x
set xlabel 'cycles of the reference'
set ylabel 'error of AT, %'
set yrange [-6:6]
set grid
set key top right
plot folder.'/transitions.dat' using 1:2:3:4 with yerrorbars pt 7 ps 0.5 title 'transitions', \
     folder.'/sets.dat' using 1:2:3:4 with yerrorbars pt 5 ps 0.7 title 'message sets'
