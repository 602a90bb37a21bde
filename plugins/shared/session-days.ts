import { Type, type TInteger, type TOptional } from "typebox";

/** The key `memory.session_retention_days` of whatever store is loaded. */
export const sessionDays: TOptional<TInteger> = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: "Days after its last turn that a conversation is kept. Left out: until it is removed.",
  }),
);
