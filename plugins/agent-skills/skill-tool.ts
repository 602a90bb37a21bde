import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import type { OpenSkills } from "./open-skills.ts";
import type { FindSkills } from "./places.ts";

/** Makes the tool `skill`; `workspace` gives the one of the turn that asks. */
export function skillTool(find: FindSkills, open: () => Promise<OpenSkills>, workspace: () => string): Tool {
  return defineTool({
    name: "skill",
    description:
      "Reads the instructions of a skill, or one of its files. Without a name it lists the skills that may be used.",
    input: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "As it is listed." })),
        file: Type.Optional(
          Type.String({ minLength: 1, maxLength: 1_000, description: "One of its files, from its folder." }),
        ),
      },
      { additionalProperties: false },
    ),
    parallel: true,
    hints: { readOnly: true },
    offered: async () => find(workspace()).length > 0 && (await open()).shelf.hasAccepted(workspace()),
    effects: async ({ name }, { cwd }) => {
      const material = name === undefined ? undefined : await (await open()).shelf.material(name, cwd);
      return material === undefined ? {} : { brings: { material: [material] } };
    },
    run: async ({ args: { name, file }, cwd }) => {
      const { shelf, textOfSkill } = await open();
      return textOfSkill(shelf, name, file, cwd);
    },
  });
}
