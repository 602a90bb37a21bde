import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";

/** A tool is a value: it is tested without a host. */
export function createTool(greeting: string): Tool {
  return defineTool({
    name: "example",
    description: "Greets a person by name.",
    input: Type.Object({ name: Type.String({ minLength: 1, description: "Whom to greet." }) }),
    // Whatever the tool touches has to be stated here, or no guard lets it through: effects: ({ path }) => ({ paths: [{ path, access: "read" }] }),
    parallel: true,
    run: async ({ args }) => `${greeting}, ${args.name}!`,
  });
}
