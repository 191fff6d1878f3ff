/* A realm's image: the bytes of all blocks while another realm's are in place.
 *
 * Most bytes of most realms are those of the base image for ever: the globals of extensions that no request uses, tables that
 * PHP fills at its start. What differs, or did lately (LOOK_EVERY), is marked, 64 bytes at a time, and of an image only that is
 * read: what lay in memory for a while costs more than all that is compared, which has just been used or is the same for all realms.
 *
 * Invariants:
 *  1. A saved image is whole: also what is not marked is in it.
 *  2. What is not marked is as in the base image.
 *  3. The marks of blocks that rest are the last words, and clear while they rest. */
#ifndef HOWDAH_STATE_IMAGE_H
#define HOWDAH_STATE_IMAGE_H

#include "block.h"

/* Gives the blocks their places in an image and takes the base image of what they hold now. They may not move nor change their
 * size until howdah_images_stop(). 0, or -1 with errno ENOMEM. */
int howdah_images_start(howdah_block *blocks, size_t count);
/* Blocks that rest (block.h) are in no image that is saved or put in place, and cost nothing, until this is called: in this
 * process, for good. What they hold must be as in the base image then. Does nothing the second time. */
void howdah_images_wake(void);
/* Bytes of an image. */
size_t howdah_image_size(void);
/* For free(). NULL with errno ENOMEM. What is in it is not true before it was left once. */
char *howdah_image_new(void);
/* Saves what is in place to one image, and puts another in place. From NULL: nothing is saved; to NULL: the base image. */
void howdah_image_switch(char *from, const char *to);
/* Fetches from memory what is likely to be read of an image that is put in place soon. Only a hint. */
void howdah_image_fetch(const char *image);
/* The image that every realm starts from. */
const char *howdah_image_base(void);
void howdah_images_stop(void);

#endif
