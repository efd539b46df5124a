# SPDX-License-Identifier: Apache-2.0
# gnuplot -e "folder='build/load'" bench/load_curves.gp
# Accepted over offered, with the routers of the reference and with restrained sources.
set terminal svg size 900,420 noenhanced
set output folder.'/load.svg'
set xlabel 'offered, flits per die per cycle'
set ylabel 'accepted'
set xrange [0:0.7]
set grid
set key outside right
names = 'torus_8x8-tornado mesh_8x8-bitcomplement mesh_8x8-uniform'
plot for [i=1:words(names)] folder.'/'.word(names, i).'-plain.dat' using 2:3 \
         with linespoints lt i dt 2 title word(names, i).', default', \
     for [i=1:words(names)] folder.'/'.word(names, i).'-restrained.dat' using 2:3 \
         with linespoints lt i title word(names, i).', restrained'
