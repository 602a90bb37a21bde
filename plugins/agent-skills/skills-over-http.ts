import { userAround } from "@gantry/sdk/node";
import type { Acceptables } from "../shared/accept-routes.ts";
import { changesOf } from "../shared/text-diff.ts";
import { errors } from "./errors.ts";
import { acceptRead, findSkill, skillRows, stateOf, takeBack, type SkillDesk } from "./skill-desk.ts";
import { readSkill } from "./skill-read.ts";
import { linesOf } from "./skill-shown.ts";

/** Returns the skills for whoever decides on them over HTTP; their ids are their folders. */
export function skillAcceptables(desk: SkillDesk): Acceptables {
  const found = async (id: string) => {
    const skill = await findSkill(desk, id);
    return { skill, read: await readSkill(skill.folder, skill.name, () => true) };
  };
  return {
    async all() {
      const rows = await skillRows(desk);
      return rows.map(({ folder: id, name, state, description: detail }) => ({ id, name, state, detail }));
    },
    async look(id) {
      const { skill, read } = await found(id);
      const text = linesOf(skill, read).join("\n");
      const before = await desk.acceptances.shown(skill);
      const state = await stateOf(desk, skill);
      const changes = before === undefined ? undefined : await changesOf(skill.name, before, text);
      return { state, digest: read.hash, text, ...(state === "changed" && { changes }) };
    },
    async accept(id, digest) {
      const { skill, read } = await found(id);
      if (read.hash !== digest) throw errors.SKILL_OTHER(skill.name);
      await acceptRead(desk, skill, read, userAround());
    },
    withdraw: async (id) => takeBack(desk, await findSkill(desk, id), userAround()),
  };
}
