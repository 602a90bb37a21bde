import {
  Audit,
  ChatCommands,
  Commands,
  definePlugin,
  PromptParts,
  Routes,
  Runtime,
  securityKeys,
  Store,
  Tools,
} from "@gantry/sdk";
import { Type } from "typebox";
import { acceptRoutes } from "../shared/accept-routes.ts";
import { ownedFolders, trustedInstructions } from "../shared/owned-folders.ts";
import { errors } from "./errors.ts";
import type { OpenSkills } from "./open-skills.ts";
import { skillFinder } from "./places.ts";
import { skillTool } from "./skill-tool.ts";
import { skillWord } from "./skill-word.ts";
import { skillCommands } from "./words.ts";

export default definePlugin({
  name: "agent-skills",
  summary:
    "skill: instructions for certain tasks that the owner has accepted, by the words `skills list`, `show`, `check`, `accept` and `remove`.",
  table: "",
  config: Type.Object({
    agent: Type.Object({ trusted_instructions: trustedInstructions }),
    security: Type.Object({ workspace_path: securityKeys.workspace_path }),
    skills: Type.Object({
      list_characters: Type.Integer({
        default: 2_560,
        minimum: 512,
        maximum: 65_536,
        description:
          "Characters of the list of skills in the system prompt; the default is 2 % of a window of 32,000 tokens. Descriptions are cut where they are too long together.",
      }),
    }),
  }),
  needs: { audit: Audit, runtime: Runtime, store: Store },
  provides: [ChatCommands, Commands, PromptParts, Routes, Tools],
  errors,
  setup(host) {
    const { audit, runtime, store } = host.needs;
    const { agent, security, skills } = host.config;
    const { workspace_path = "workspace" } = security;
    const owned = ownedFolders(runtime.configDir, workspace_path, agent.trusted_instructions);
    const find = skillFinder(runtime.configDir);
    let opened: Promise<OpenSkills> | undefined;
    const open = (): Promise<OpenSkills> =>
      (opened ??= import("./open-skills.ts").then(({ openSkills }) => openSkills(find, store, owned)));
    const workspace = (): string => runtime.workspaceNow?.() ?? runtime.workspace;
    host.provide(PromptParts, {
      name: "skills",
      order: 40,
      budget: skills.list_characters,
      text: async (scene) => {
        if (scene.trust === "guest" || find(scene.workspace).length === 0) return undefined;
        const { shelf, listText } = await open();
        const usable = await shelf.usable(scene.workspace);
        const listed = usable.map(({ name, accepted }) => ({
          name,
          description: accepted?.description ?? "",
        }));
        return listText(listed, skills.list_characters);
      },
    });
    host.provide(Tools, skillTool(find, open, workspace));
    host.provide(ChatCommands, skillWord(find, open, workspace));
    const words = async () => ({ ...(await open()), audit, workspace: runtime.workspace });
    for (const command of skillCommands(words)) host.provide(Commands, command);
    const desk = async () => (await import("./skills-over-http.ts")).skillAcceptables(await words());
    host.onServe(() => {
      for (const route of acceptRoutes("skills", "Skills", desk)) host.provide(Routes, route);
    });
  },
});
