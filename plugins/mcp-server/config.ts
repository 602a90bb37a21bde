import { Type } from "typebox";

export const config = Type.Object({
  tools: Type.Array(Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }), {
    default: [],
    description:
      "Tools that MCP clients may call beside `ask` and `recall`, by their names; each call passes the same guards as in a turn.",
  }),
});
