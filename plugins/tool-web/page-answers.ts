import { Type } from "typebox";

const only = { additionalProperties: false };
const option = Type.Object({ label: Type.String(), value: Type.String() }, only);
const field = Type.Object(
  {
    kind: Type.Enum(["text", "choice", "check", "radio", "button", "hidden"]),
    name: Type.String(),
    label: Type.String(),
    value: Type.String(),
    isChosen: Type.Boolean(),
    options: Type.Array(option),
  },
  only,
);
const fields = Type.Array(field);
const form = Type.Object({ url: Type.String(), method: Type.String(), fields }, only);
/** The text travels beside it as UTF-8. */
const pageFacts = Type.Object(
  {
    title: Type.String(),
    links: Type.Array(Type.String()),
    forms: Type.Array(form),
    cut: Type.Boolean(),
  },
  only,
);
export const unread = Type.Object({ unread: Type.Enum(["garbled", "no text"]) }, only);
export const answers = Type.Union([pageFacts, unread]);
