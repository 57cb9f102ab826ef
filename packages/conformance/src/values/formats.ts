/** Texts that have a format and texts that have not; both are empty where the format is only a hint. */
export interface Format {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

export const FORMATS: Readonly<Record<string, Format | undefined>> = {
  date: {
    good: ['2024-02-29', '1970-01-01'],
    bad: ['2024-02-30', '2024-13-01', '24-02-29', '2024-02-29T00:00:00Z', ''],
  },
  'date-time': {
    good: ['2024-02-29T12:00:00Z', '1985-04-12T23:20:50.52+01:00'],
    bad: ['2024-02-29', '2024-02-30T12:00:00Z', '2024-02-29T25:00:00Z', ''],
  },
  email: { good: ['someone@example.org'], bad: ['someone', '@example.org', 'some one@example.org'] },
  uuid: {
    good: ['123e4567-e89b-12d3-a456-426614174000'],
    bad: ['123e4567-e89b-12d3-a456-42661417400', '123e4567e89b12d3a456426614174000x', 'text'],
  },
  uri: { good: ['https://example.org/a?b=c#d'], bad: ['/relative', 'not a uri', ''] },
  ipv4: { good: ['192.0.2.1'], bad: ['192.0.2.256', '192.0.2', 'text'] },
  ipv6: { good: ['2001:db8::1'], bad: ['2001:db8::1::2', 'text'] },
  hostname: { good: ['example.org'], bad: ['-example.org', 'exa mple'] },
  byte: { good: ['', 'cGxhbnQ=', 'AAAA'], bad: ['cGxhbnQ', '*', 'AAA*'] },
  password: { good: [], bad: [] },
  // Of numbers; their limits are in numbers.ts, and the others have none.
  int32: { good: [], bad: [] },
  int64: { good: [], bad: [] },
  float: { good: [], bad: [] },
  double: { good: [], bad: [] },
};
