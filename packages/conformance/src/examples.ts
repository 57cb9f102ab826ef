// Finds the examples of a contract that break their own schema.
import type { Content, Example, Model } from './contract/model';
import type { Schema } from './contract/schema';
import { judgeErrorNumber, judgeValue } from './oracle/body';
import type { Validate } from './validator';

export function findInvalidExamples({ operations }: Model, validate: Validate): string[] {
  return operations.flatMap(({ body, replies }) => {
    const inBody = (body?.contents ?? []).flatMap((content) =>
      pointersOfInvalid(content, (value) => validateSent(validate, content.schema, value)),
    );
    const inReplies = [...replies].flatMap(([status, { contents }]) =>
      contents.flatMap((content) =>
        pointersOfInvalid(content, (value) => judgeReplyExample(validate, content.schema, value, status)),
      ),
    );
    return [...inBody, ...inReplies];
  });
}

// A request may have undeclared properties, so its schema alone decides. An empty list means valid.
function validateSent(validate: Validate, schema: Schema, value: Example['value']): readonly unknown[] {
  return schema.places.flatMap(({ pointer }) => validate(pointer, value));
}

// The error number must belong to the status, unless that is a range such as 4XX.
function judgeReplyExample(validate: Validate, schema: Schema, value: Example['value'], status: string): string[] {
  const isOneStatus = /^\d+$/.test(status);
  return [
    ...judgeValue(validate, schema, value),
    ...(isOneStatus ? judgeErrorNumber(schema, value, Number(status)) : []),
  ];
}

function pointersOfInvalid(
  { kind, examples }: Content,
  judge: (value: Example['value']) => readonly unknown[],
): string[] {
  if (kind !== 'json') return [];
  return examples.filter(({ value }) => judge(value).length > 0).map(({ pointer }) => pointer);
}
