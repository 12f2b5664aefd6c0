/* app/base/write_buffer.h */
#include "app/base/write_buffer.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* Records of all lengths up to `most`, byte by byte and in one piece. */
static void expect_all_written(size_t most, int count) {
  FILE *stream = tmpfile();
  cr_assert_not_null(stream);
  write_buffer *buffer = malloc(sizeof *buffer + 1);
  char *expected = malloc((size_t)count * most), *found = malloc((size_t)count * most + 1);
  cr_assert(buffer && expected && found);
  ((char *)(buffer + 1))[0] = '#'; /* what is behind the buffer */
  size_t length = 0;
  write_buffer_begin(buffer, stream);
  for (int n = 0; n < count; n++) {
    const size_t size = (size_t)n * 7919 % (most + 1);
    char *to = write_buffer_room(buffer, size);
    for (size_t i = 0; i < size; i++)
      to[i] = expected[length++] = (char)('a' + (n + (int)i) % 26);
    write_buffer_take(buffer, to + size);
  }
  write_buffer_flush(buffer);
  cr_expect_eq(((char *)(buffer + 1))[0], '#');
  rewind(stream);
  cr_assert_eq(fread(found, 1, length + 1, stream), length, "records of up to %zu bytes", most);
  cr_expect_eq(memcmp(found, expected, length), 0, "records of up to %zu bytes", most);
  fclose(stream);
  free(buffer);
  free(expected);
  free(found);
}

Test(write_buffer, records_of_all_sizes_come_whole_and_in_their_order) {
  static const size_t sizes[] = {1, 3, 100, 4096, WRITE_BUFFER_BYTES - 1, WRITE_BUFFER_BYTES};
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
    expect_all_written(sizes[n], sizes[n] > 100 ? 200 : 20000);
}

/* Each in its order and whole, however many of them there is room for at a time. */
Test(write_buffer, rows_that_fit_in_one_go_come_whole_and_in_their_order) {
  static const size_t sizes[] = {1, 7, 768, WRITE_BUFFER_BYTES / 2 + 1, WRITE_BUFFER_BYTES};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int32_t rows = (int32_t)(3 * WRITE_BUFFER_BYTES / sizes[k]) + 2;
    FILE *stream = tmpfile();
    write_buffer *buffer = malloc(sizeof *buffer);
    unsigned char *found = malloc(sizes[k]);
    cr_assert(stream && buffer && found);
    write_buffer_begin(buffer, stream);
    for (int32_t i = 0, end; i < rows; i = end) {
      end = i + write_buffer_rows(buffer, sizes[k], rows - i);
      cr_assert(end > i && end <= rows);
      unsigned char *to = write_buffer_room(buffer, sizes[k]);
      for (int32_t n = i; n < end; n++, to += sizes[k])
        memset(to, (unsigned char)(n * 31), sizes[k]);
      cr_assert(to <= (unsigned char *)(buffer + 1));
      write_buffer_take(buffer, to);
    }
    write_buffer_flush(buffer);
    rewind(stream);
    for (int32_t n = 0; n < rows; n++) {
      cr_assert_eq(fread(found, 1, sizes[k], stream), sizes[k]);
      for (size_t i = 0; i < sizes[k]; i++)
        cr_assert_eq(found[i], (unsigned char)(n * 31), "row %ld of %zu bytes", (long)n, sizes[k]);
    }
    cr_expect_eq(fgetc(stream), EOF);
    fclose(stream);
    free(buffer);
    free(found);
  }
}

Test(write_buffer, what_is_written_between_two_flushes_stands_between_them) {
  FILE *stream = tmpfile();
  cr_assert_not_null(stream);
  write_buffer buffer;
  write_buffer_begin(&buffer, stream);
  write_buffer_take(&buffer, write_buffer_text(write_buffer_room(&buffer, 8), "first "));
  write_buffer_flush(&buffer);
  fputs("second ", stream);
  write_buffer_take(&buffer, write_buffer_text(write_buffer_room(&buffer, 8), "third"));
  write_buffer_flush(&buffer);
  char text[32] = "";
  rewind(stream);
  cr_assert_not_null(fgets(text, sizeof text, stream));
  cr_expect_str_eq(text, "first second third");
  fclose(stream);
}

Test(write_buffer, errors_stay_with_the_stream) {
  FILE *full = fopen("/dev/full", "wb");
  if (!full)
    cr_skip_test("this system has no /dev/full");
  write_buffer buffer;
  write_buffer_begin(&buffer, full);
  write_buffer_take(&buffer, write_buffer_text(write_buffer_room(&buffer, 8), "text"));
  write_buffer_flush(&buffer);
  cr_expect(fflush(full) != 0 && ferror(full));
  fclose(full);
}
