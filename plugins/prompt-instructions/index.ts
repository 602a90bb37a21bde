import { definePlugin, optional, PromptParts, Runtime, Sandbox, securityKeys } from "@gantry/sdk";
import { Type } from "typebox";
import { agentsFiles, oncePerScene } from "./agents-files.ts";
import { errors } from "./errors.ts";
import { instructionsText } from "../shared/instructions-text.ts";
import { ownedFolders, trustedInstructions } from "../shared/owned-folders.ts";
import { dateNote, placeText } from "./place.ts";

/** Characters of instructions and of AGENTS.md that are shown to the model. */
const BUDGET = 32 * 1024;

const faults = { unreadable: errors.INSTRUCTIONS_UNREADABLE, closed: errors.INSTRUCTIONS_CLOSED };

export default definePlugin({
  name: "prompt-instructions",
  summary: "Standing instructions for the model: agent.instructions, AGENTS.md, date and place.",
  table: "",
  config: Type.Object({
    agent: Type.Object({
      instructions: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            "What the model is told before every conversation: the text itself, or `file:` and a path (from <config_dir>).",
        }),
      ),
      trusted_instructions: trustedInstructions,
    }),
    security: Type.Object({
      workspace_path: securityKeys.workspace_path,
      secret_files: securityKeys.secret_files,
      blocked_paths: securityKeys.blocked_paths,
    }),
  }),
  needs: { runtime: Runtime, sandbox: optional(Sandbox) },
  provides: [PromptParts],
  errors,
  setup(host) {
    const { runtime } = host.needs;
    const { instructions, trusted_instructions } = host.config.agent;
    const { workspace_path = "workspace", secret_files, blocked_paths } = host.config.security;
    const places = { configDir: runtime.configDir, secret: secret_files, blocked: blocked_paths };
    const owners = ownedFolders(runtime.configDir, workspace_path, trusted_instructions);
    host.provide(PromptParts, {
      name: "instructions",
      order: 10,
      budget: BUDGET,
      text: () => instructions && instructionsText(instructions, places, faults),
    });
    const files = oncePerScene(
      agentsFiles(() => host.needs.sandbox?.files, owners, host.log),
      host.signal,
    );
    host.provide(PromptParts, {
      name: "agents-files",
      order: 20,
      budget: BUDGET,
      text: async (scene) => (await files(scene)).text,
      brings: async (scene) => {
        const { foreign } = await files(scene);
        return foreign.length > 0
          ? { material: foreign.map((folder) => `AGENTS.md of ${folder}`) }
          : undefined;
      },
    });
    host.provide(PromptParts, {
      name: "place",
      order: 30,
      budget: 1_000,
      text: ({ workspace, began }) => placeText(workspace, began),
      note: ({ began, last, now }) => dateNote(last ?? began, now),
    });
  },
});
