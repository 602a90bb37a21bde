import type { Store } from "@gantry/sdk";
import type { OwnedFolders } from "../shared/owned-folders.ts";
import { Acceptances } from "./acceptances.ts";
import type { FindSkills } from "./places.ts";
import { listText } from "./skill-list.ts";
import { SkillShelf } from "./skill-shelf.ts";
import { beginningOf, textOfSkill } from "./skill-use.ts";

/** All that works with skills, loaded once a workspace has one. */
export interface OpenSkills {
  readonly acceptances: Acceptances;
  readonly shelf: SkillShelf;
  readonly listText: typeof listText;
  readonly beginningOf: typeof beginningOf;
  readonly textOfSkill: typeof textOfSkill;
}

export function openSkills(find: FindSkills, store: Store, owned: OwnedFolders): OpenSkills {
  const acceptances = new Acceptances(() => store);
  const shelf = new SkillShelf(find, acceptances, owned);
  return { acceptances, shelf, listText, beginningOf, textOfSkill };
}
