import assert from "node:assert/strict";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import {
  functions,
  goodProfile,
  joined,
  locations,
  msg,
  num,
  packed,
  refusalOf,
  sample,
  sampleTypes,
  strings,
  tables,
  text,
} from "./messages.ts";

const good = sample([1]);
const broken = msg(4, num(1, 9), msg(4, num(1, 99)));

/** Bodies that are no profile, and what is said of them. */
const INVALID: Readonly<Record<string, readonly [body: Uint8Array, sentence: string | RegExp]>> = {
  "no bytes": [new Uint8Array(0), "it is empty"],
  "no strings": [sampleTypes, "it has no string table, which every pprof has"],
  // resource_spans { resource {}, scope_spans { spans {} } }
  "a body of OTLP": [
    msg(1, msg(1), msg(2, msg(2))),
    "it has no string table, which every pprof has",
  ],
  "strings that begin with a text": [
    joined(text(6, "cpu"), text(6, ""), sampleTypes),
    "the first of its strings is not empty",
  ],
  "no sample types": [strings, "it has no sample types"],
  "samples without types": [joined(strings, locations, functions, good), "it has no sample types"],
  "another location": [
    joined(tables, sample([1, 99])),
    "sample 1 refers to location 99, which is not in the profile",
  ],
  "location 0": [
    joined(tables, sample([0])),
    "sample 1 refers to location 0, which is not in the profile",
  ],
  "a location beyond 2^53": [
    joined(tables, sample([(1n << 64n) - 1n])),
    "sample 1 refers to location 18446744073709551615, which is not in the profile",
  ],
  "a location without its function": [
    joined(tables, broken, sample([9])),
    "sample 1 refers to location 9, which refers to function 99, which is not in the profile",
  ],
  "a line without function": [
    joined(tables, msg(4, num(1, 9), msg(4, num(2, 5))), sample([9])),
    "sample 1 refers to location 9, which refers to function 0, which is not in the profile",
  ],
  "too few values": [
    joined(tables, msg(2, packed(1, [1]), packed(2, [1]))),
    "sample 1 has 1 value, but there are 2 sample types",
  ],
  "too many values": [
    joined(tables, msg(2, packed(1, [1]), packed(2, [1, 2, 3]))),
    "sample 1 has more than 2 values, but there are 2 sample types",
  ],
  "too many values one by one": [
    joined(tables, msg(2, num(1, 1), num(2, 1), num(2, 1), num(2, 1), num(2, 1))),
    "sample 1 has more than 2 values, but there are 2 sample types",
  ],
  "one type and no value": [
    joined(msg(1, num(1, 1)), strings, msg(2)),
    "sample 1 has 0 values, but there is 1 sample type",
  ],
  "most samples damaged": [
    joined(tables, good, sample([5]), sample([1, 1, 6])),
    "sample 2 refers to location 5, which is not in the profile (2 of 3 samples are damaged)",
  ],
  "a string beyond the table": [
    joined(tables, msg(5, num(1, 3), num(2, 8)), good),
    "the name of function 3 is string 8, but there are only 8 strings",
  ],
  "a negative string": [
    joined(tables, msg(5, num(1, 3), num(4, -1)), good),
    "the file of function 3 is a string of an impossible number, but there are only 8 strings",
  ],
  "a sample type without its string": [
    joined(strings, msg(1, num(1, 50))),
    "the name of sample type 1 is string 50, but there are only 8 strings",
  ],
  "a label without its string": [
    joined(tables, good, sample([1], msg(3, num(1, 5), num(2, 1 << 30)))),
    "a label of sample 2 is string 1073741824, but there are only 8 strings",
  ],
  "a comment without its string": [
    joined(tables, num(13, 50)),
    "a comment is string 50, but there are only 8 strings",
  ],
  "a default type without its string": [
    joined(tables, num(14, 50)),
    "the default sample type is string 50, but there are only 8 strings",
  ],
  "a mapping without its string": [
    joined(tables, msg(3, num(1, 1), num(6, 50))),
    "the build id of mapping 1 is string 50, but there are only 8 strings",
  ],
  "two locations of one id": [joined(tables, locations), "two locations have the id 1"],
  "two functions of one id": [joined(tables, functions), "two functions have the id 1"],
  "two mappings of one id": [
    joined(tables, msg(3, num(1, 7)), msg(3, num(1, 7))),
    "two mappings have the id 7",
  ],
  "two profiles in a row": [joined(goodProfile, goodProfile), "two profiles follow one another"],
  "a field of another type": [
    joined(tables, num(2, 5)),
    /^the profile has a field of a wrong type before byte \d+$/,
  ],
  "a sample with a field of another type": [
    joined(tables, good, msg(2, text(2, ""), num(3, 5))),
    /^sample 2 has a field of a wrong type before byte \d+$/,
  ],
  "an illegal tag": [joined(tables, Uint8Array.of(0)), /^the profile is no protobuf at byte \d+$/],
  "a group": [Uint8Array.of(0x7b), /^the profile is no protobuf at byte 1$/],
  "a number of eleven bytes": [
    joined(tables, msg(2, num(1, 1), Uint8Array.of(0x10, ...Array(10).fill(0xff), 1))),
    /^sample 1 is no protobuf at byte \d+$/,
  ],
  "the end in the middle": [tables.subarray(0, -1), "the bytes end in the middle of the profile"],
  "a label that is longer than its sample": [
    joined(tables, msg(2, Uint8Array.of(3 << 3 | 2, 30)), strings),
    /^sample 1 is no protobuf at byte \d+$/,
  ],
  "a sample type with a long name": [
    joined(tables, text(6, "x".repeat(201)), msg(1, num(1, 8))),
    "the name of sample type 3 is longer than 200 characters",
  ],
};

for (const [what, [body, sentence]] of Object.entries(INVALID)) {
  Deno.test(`what is no profile is refused with what is wrong: ${what}`, () => {
    const { kind, message } = refusalOf(() => decodePprof(body));
    assert.equal(kind, "invalid");
    if (typeof sentence === "string") assert.equal(message, sentence);
    else assert.match(message, sentence);
  });
}
