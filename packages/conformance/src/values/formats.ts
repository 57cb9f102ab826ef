/** Strings that match a format, and strings that do not; both are empty when the format is only a hint. */
export interface Format {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

export const FORMATS: Readonly<Record<string, Format | undefined>> = {
  date: {
    right: ['2024-02-29', '1970-01-01'],
    wrong: ['2024-02-30', '2024-13-01', '24-02-29', '2024-02-29T00:00:00Z', ''],
  },
  'date-time': {
    right: ['2024-02-29T12:00:00Z', '1985-04-12T23:20:50.52+01:00'],
    wrong: ['2024-02-29', '2024-02-30T12:00:00Z', '2024-02-29T25:00:00Z', ''],
  },
  email: { right: ['someone@example.org'], wrong: ['someone', '@example.org', 'some one@example.org'] },
  uuid: {
    right: ['123e4567-e89b-12d3-a456-426614174000'],
    wrong: ['123e4567-e89b-12d3-a456-42661417400', '123e4567e89b12d3a456426614174000x', 'text'],
  },
  uri: { right: ['https://example.org/a?b=c#d'], wrong: ['/relative', 'not a uri', ''] },
  ipv4: { right: ['192.0.2.1'], wrong: ['192.0.2.256', '192.0.2', 'text'] },
  ipv6: { right: ['2001:db8::1'], wrong: ['2001:db8::1::2', 'text'] },
  hostname: { right: ['example.org'], wrong: ['-example.org', 'exa mple'] },
  time: { right: ['12:00:00Z'], wrong: ['12:00', '25:00:00Z', 'noon'] },
  duration: { right: ['P1D', 'PT30M'], wrong: [] },
  'uri-reference': { right: ['/a?b=c#d', 'https://example.org'], wrong: [] },
  url: { right: ['https://example.org/a'], wrong: [] },
  regex: { right: ['^a$'], wrong: [] },
  byte: { right: ['', 'cGxhbnQ=', 'AAAA'], wrong: ['cGxhbnQ', '*', 'AAA*'] },
  // RFC 6901 section 5.
  'json-pointer': { right: ['/a/0'], wrong: [] },
  password: { right: [], wrong: [] },
  // Number formats; numbers.ts has the ranges of the integers.
  int8: { right: [], wrong: [] },
  int16: { right: [], wrong: [] },
  uint8: { right: [], wrong: [] },
  uint16: { right: [], wrong: [] },
  uint32: { right: [], wrong: [] },
  int32: { right: [], wrong: [] },
  int64: { right: [], wrong: [] },
  float: { right: [], wrong: [] },
  double: { right: [], wrong: [] },
};
