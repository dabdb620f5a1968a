// Field after field: a reader gives where the next one starts, NULL once something is wrong.
#include "api/c/rfc3339.h"

#include <string.h>
#include <time.h>

static const char *digits(const char *text, int count, int low, int high, int *value) {
  *value = 0;
  for (; count > 0; count--, text++) {
    if (*text < '0' || *text > '9') return NULL;
    *value = 10 * *value + (*text - '0');
  }
  return *value >= low && *value <= high ? text : NULL;
}

static const char *letter(const char *text, const char *allowed) {
  return text && *text && strchr(allowed, *text) ? text + 1 : NULL;
}

static const char *field(const char *text, const char *before, int count, int low, int high, int *value) {
  text = letter(text, before);
  return text ? digits(text, count, low, high, value) : NULL;
}

// ".123", rounded down to milliseconds; none is 0.
static const char *fraction(const char *text, int *ms) {
  *ms = 0;
  if (!text || *text != '.') return text;
  int unit = 100;
  const char *first = ++text;
  for (; *text >= '0' && *text <= '9'; text++, unit /= 10) *ms += unit * (*text - '0');
  return text > first ? text : NULL;
}

// "Z" or "+hh:mm", in minutes.
static const char *offset(const char *text, int *minutes) {
  int hour, minute;
  *minutes = 0;
  if (!text || *text == 'Z' || *text == 'z') return text ? text + 1 : NULL;
  int sign = *text == '-' ? -1 : 1;
  text = field(text, "+- ", 2, 0, 23, &hour);
  text = field(text, ":", 2, 0, 59, &minute);
  if (text) *minutes = sign * (60 * hour + minute);
  return text;
}

// Of the months 1 … 12.
static int days_of(int month, int year) {
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 ? 28 + leap : 30 + (month + month / 8) % 2;
}

bool rfc3339_read(const char *text, int64_t *ms) {
  struct tm day = {.tm_isdst = 0};
  int part, minutes;
  text = digits(text, 4, 1, 9999, &day.tm_year);
  text = field(text, "-", 2, 1, 12, &day.tm_mon);
  text = field(text, "-", 2, 1, 31, &day.tm_mday);
  text = field(text, "Tt ", 2, 0, 23, &day.tm_hour);
  text = field(text, ":", 2, 0, 59, &day.tm_min);
  text = field(text, ":", 2, 0, 60, &day.tm_sec); // 60: a leap second
  text = offset(fraction(text, &part), &minutes);
  if (!text || *text || day.tm_mday > days_of(day.tm_mon, day.tm_year)) return false;
  day.tm_mon--;
  day.tm_year -= 1900;
  *ms = 1000 * ((int64_t)timegm(&day) - 60 * (int64_t)minutes) + part;
  return true;
}
