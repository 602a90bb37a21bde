import { type Static, Type } from "typebox";

/** So much of a mail is read before it is known whether it counts. */
export const maxHeadBytes = 64 * 1024;

const only = { additionalProperties: false };

/** A header as it comes from the process that reads it. */
export const headFacts = Type.Object(
  {
    from: Type.Optional(Type.Object({ address: Type.String(), name: Type.Optional(Type.String()) }, only)),
    isWhole: Type.Boolean(),
    subject: Type.String(),
    id: Type.Optional(Type.String()),
    references: Type.Array(Type.String()),
    /** Name in lower case and value of each, topmost first. */
    headers: Type.Array(Type.Tuple([Type.String(), Type.String()])),
  },
  only,
);
export type HeadFacts = Static<typeof headFacts>;

/** The header of a mail, as far as it decides anything. All of it comes from outside. */
export interface MailHead {
  /** Undefined unless there is exactly one header From, with exactly one readable address. */
  readonly from: { readonly address: string; readonly name?: string } | undefined;
  /** False if the header goes on beyond what was read, so that anything may stand there. */
  readonly isWhole: boolean;
  readonly subject: string;
  /** Its id with angle brackets; undefined if there is none that can be read. */
  readonly id: string | undefined;
  /** Ids of the mails that it answers, the root of the thread first; every id once. */
  readonly references: readonly string[];
  /** Returns all values of a header, topmost first. */
  all(name: string): readonly string[];
  readonly names: readonly string[];
}

export function headOf({ headers, from, id, ...rest }: HeadFacts): MailHead {
  return {
    ...rest,
    from,
    id,
    all: (name) => headers.filter(([key]) => key === name).map(([, value]) => value),
    names: headers.map(([key]) => key),
  };
}
