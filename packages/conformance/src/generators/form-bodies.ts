import type { Content } from '../contract/model';
import { additionalOf, ruleIds, sentRequired } from '../contract/schema';
import { ADDITIONAL_NAME } from '../values/objects';
import { fits, pointerOf, type Values } from '../values/variant';
import { toJson, type Json, type JsonObject, type Wire, type WireObject } from '../wire/json';
import { toParts, writeParts, type SentPart } from '../wire/multipart';
import { goodFiles, manyFiles, typedFiles, wrongFiles } from './form-files';
import { baseForm, meaningsIn, propertiesOfForm } from './form-values';
import { createRule, toRule, type Rule, type SentBody } from './sent-body';

/** Makes valid forms, at the edge of each rule of the schema. */
export function goodForms(values: Values, content: Content): SentBody[] {
  const { schema } = content;
  const base = baseForm(values, content);
  const own = propertiesOfForm(content).filter(({ name }) => name in base);
  const required = sentRequired(schema);
  const optional = own.filter(({ name }) => !required.has(name)).map((one) => ({ ...one, at: pointerOf(one.schema) }));
  const plain = partsOf(content, base);
  const createRight = (rule: Rule, sent: WireObject, meaning: JsonObject): SentBody[] => {
    const isRight = Object.keys(sent).length > 0 && fits(values, schema, meaning);
    return isRight ? [{ ...toRule(rule), body: writeParts(partsOf(content, sent)), meaning }] : [];
  };
  const createSpelling = (label: string, parts: readonly SentPart[], [before, after] = ['', '']): SentBody => ({
    ...createRule(schema, 'spelling', label),
    body: Buffer.concat([Buffer.from(before), writeParts(parts), Buffer.from(after)]),
    meaning: base,
  });
  const covers = [...required.values(), ruleIds(schema, 'type'), optional.map(({ at }) => `${at} present`)].flat();
  return [
    ...createRight(createRule(schema, 'value', 'every part', covers), base, base),
    ...optional.flatMap(({ name, at, schema: property }) => {
      const rest = without(base, name);
      return createRight(createRule(property, 'optional', `without ${name}`, [`${at} absent`]), rest, rest);
    }),
    ...own.flatMap((property) => {
      const { name, kind, schema: of } = property;
      const made = kind === 'file' ? [...goodFiles(of, property), ...manyFiles(of, property)] : values.goodValues(of);
      return made.flatMap((variant) => {
        const [meaning] = kind === 'file' ? [toJson(variant.value)] : (meaningsIn(property, variant.value) ?? []);
        const sent = { ...base, [name]: variant.value };
        return meaning === undefined ? [] : createRight(variant, sent, { ...base, [name]: meaning });
      });
    }),
    ...own.flatMap((property) =>
      typedFiles(property, plain).map(([rule, parts]) => ({ ...rule, body: writeParts(parts), meaning: base })),
    ),
    createSpelling('parts in another order', plain.toReversed()),
    createSpelling('a preamble and an epilogue (RFC 2046 5.1.1)', plain, ['before\r\n', 'after']),
    ...(additionalOf(schema) === undefined
      ? [
          createSpelling('a part more', [...plain, { name: ADDITIONAL_NAME, bytes: Buffer.from('1') }]),
          createSpelling('a file more', [
            ...plain,
            { name: ADDITIONAL_NAME, fileName: 'a', type: 'a/b', bytes: Buffer.from('1') },
          ]),
        ]
      : []),
  ];
}

/** Makes forms that are invalid however a server reads their texts. */
export function badForms(values: Values, content: Content): SentBody[] {
  const { schema } = content;
  const base = baseForm(values, content);
  const plain = partsOf(content, base);
  const createWrong = (rule: Rule, sent: WireObject, meanings: readonly JsonObject[] | undefined): SentBody[] => {
    if (meanings === undefined || meanings.some((meaning) => fits(values, schema, meaning))) return [];
    return [{ ...toRule(rule), body: writeParts(partsOf(content, sent)) }];
  };
  return [
    ...[...sentRequired(schema)].flatMap(([name, covers]) => {
      const rest = without(base, name);
      return createWrong(createRule(schema, 'required', `required, without ${name}`, covers), rest, [rest]);
    }),
    ...propertiesOfForm(content)
      .filter(({ name }) => name in base)
      .flatMap((property): SentBody[] => {
        const { name, kind, isList, schema: of } = property;
        const made = kind === 'file' ? manyFiles(of, property) : values.badValues(of);
        const given = plain.filter((part) => part.name === name);
        // RFC 7578 section 5.2 does not say how to treat two parts with one name.
        const twice: SentBody = {
          ...createRule(of, 'spelling', `${name} twice`),
          level: 'strict',
          body: writeParts([...plain, ...given]),
        };
        return [
          ...made.flatMap((variant) => {
            const meanings = kind === 'file' ? [toJson(variant.value)] : meaningsIn(property, variant.value);
            const all = meanings?.map((meaning) => ({ ...base, [name]: meaning }));
            return createWrong(variant, { ...base, [name]: variant.value }, all);
          }),
          ...wrongFiles(property, plain).map(([rule, parts]) => ({ ...rule, body: writeParts(parts) })),
          ...(isList ? [] : [twice]),
        ];
      }),
  ];
}

function partsOf({ parts }: Content, sent: WireObject): SentPart[] {
  return Object.entries<Wire>(sent).flatMap(([name, value]) => {
    const part = parts.get(name);
    return part ? toParts(name, part, value) : [];
  });
}

function without(form: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries<Json>(form).filter(([other]) => other !== name));
}
