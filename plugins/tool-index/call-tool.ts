import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";

export const callTool: Tool = defineTool({
  name: "tool_call",
  description: "Calls a tool that tool_search has found, by its name, with arguments that fit its input.",
  input: Type.Object({
    tool: Type.String({ minLength: 1, description: "The name, as tool_search gave it." }),
    args: Type.Object({}, { additionalProperties: true, description: "The arguments of that tool." }),
  }),
  standsFor: ({ tool, args }) => ({ tool, args }),
  run: ({ args: { tool, args }, call }) => call(tool, { ...args }),
});
