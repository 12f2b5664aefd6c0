/* The range of the numbers of scenes and meshes, so that their squares and quotients are finite in float
   too. */
#ifndef MSD_SCENES_INPUT_NUMBER_RANGE_H
#define MSD_SCENES_INPUT_NUMBER_RANGE_H

#define NUMBER_LARGEST  1e18
#define NUMBER_SMALLEST 1e-18

#endif
