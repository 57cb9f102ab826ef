import type { Case, CaseClass } from '../case';

/** Requests that a standard lets a server take or refuse, by the label of their cases. */
interface LeftOpen {
  readonly clause: string;
  readonly classes: readonly CaseClass[];
  readonly label: RegExp;
}

/**
 * What is left open, and by which clause. A server has to answer these requests as any others; below house rules neither
 * a success nor a refusal of one is held against it.
 */
export const LEFT_OPEN: readonly LeftOpen[] = [
  {
    // An integer is a number without a fraction or an exponent, and `1.0` is one for JSON Schema.
    clause: 'OpenAPI 3.0.3, 3.1.0 Data Types',
    classes: ['positive', 'parameter'],
    label: /\bwritten -?\d\S*[.eE]/,
  },
  {
    // An implementation may set limits on the character contents of strings.
    clause: 'RFC 8259 9',
    classes: ['positive'],
    label: /a property more, "(?:__proto__|constructor)"$|(?:^|, )noncharacters$/,
  },
  {
    // A parser may accept extensions.
    clause: 'RFC 8259 9',
    classes: ['malformed'],
    label:
      /(?:a comma at the end|single quotes|names without quotes|a comment|a comment at the end|a no-break space|NaN|Infinity|undefined|True|a leading zero|a plus sign|hexadecimal|no digit (?:before|after) the point|an underscore in a number|a bigint literal|a (?:control character|line break) in a string|an escape that is none)$/,
  },
  // A parser may ignore a byte order mark.
  { clause: 'RFC 8259 8.1', classes: ['malformed'], label: /a byte order mark$/ },
  // The grammar has surrogates alone.
  { clause: 'RFC 8259 8.2', classes: ['malformed'], label: /surrogates? (?:alone|the wrong way round)\b/ },
  // JSON has no charset parameter, and one has no effect.
  { clause: 'RFC 8259 11', classes: ['media'], label: /the type \S*json; charset=/ },
  // A recipient may recover what is meant from what is malformed.
  { clause: 'RFC 9110 2.4', classes: ['media'], label: /the type (?:json|application|".*"|.*; (?:charset|=1)|.* x)$/ },
  // Without a type a recipient may look at the data; of several, many take the last.
  {
    clause: 'RFC 9110 8.3',
    classes: ['media'],
    label: /no type$|an empty type$|the type twice$|two types$|the type .*, /,
  },
  { clause: 'RFC 9110 2.4', classes: ['malformed'], label: /a header without a (?:colon|name)$/ },
  // A server may refuse any major version.
  { clause: 'RFC 9110 2.5', classes: ['malformed'], label: /an unknown version$/ },
  // How much a server takes is its own to say; 413, 414 and 431 are for what is more.
  { clause: 'RFC 9110 5.4, 15.5.14', classes: ['size'], label: /./ },
  // A server may decode what is compressed, and refuse any coding.
  { clause: 'RFC 9110 8.4', classes: ['media'], label: /the coding (?:gzip|identity)$/ },
  // A server may answer 417.
  { clause: 'RFC 9110 10.1.1', classes: ['malformed'], label: /an unknown expectation$/ },
];

/** Whether a standard lets a server take the request of a case, and refuse it. */
export function isLeftOpen(one: Pick<Case, 'class' | 'label'>): boolean {
  return LEFT_OPEN.some(({ classes, label }) => classes.includes(one.class) && label.test(one.label));
}
