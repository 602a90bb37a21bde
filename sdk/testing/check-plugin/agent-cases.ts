import { directMessage, type Agent, type Agents } from "../../index.ts";
import type { ContractCase } from "../contract-case.ts";
import { cases, wrong } from "../say.ts";
import { answered, kindOf } from "./answered.ts";

const who = "The plugin's list of agents";
const nameForm = /^[a-z][a-z0-9-]{0,31}$/;
const asked = ["owner", "member", "guest"].flatMap((trust) =>
  [undefined, "no-agent-of-this-name"].map((named) => ({
    message: directMessage({
      channel: "test",
      id: "1",
      from: "ada",
      text: "hello",
      trust: trust as "owner" | "member" | "guest",
    }),
    session: "test:ada",
    ...(named !== undefined && { named }),
  })),
);

/** Returns the duties of a plugin that tells which agents there are. */
export function agentCases(agents: Agents, patienceMs: number): readonly ContractCase[] {
  const listed = async (): Promise<readonly Agent[]> => {
    const cure = "answer the agents, each with a name, or an empty list";
    const list = await answered(who, "list()", patienceMs, cure, () => agents.list());
    if (Array.isArray(list)) return list as readonly Agent[];
    throw wrong(who, `answered ${kindOf(list)} in list()`, cure);
  };
  return cases({
    "agents have names of their own, in the form that a prompt takes": async () => {
      const names = (await listed()).map(({ name }) => name);
      const cure = "write small letters, digits and -, 32 at most";
      for (const name of names)
        if (!nameForm.test(String(name))) throw wrong(who, `has the name ${JSON.stringify(name)}`, cure);
      const twice = names.find((name, at) => names.indexOf(name) !== at);
      if (twice !== undefined) throw wrong(who, `has two agents ${twice}`, "give each a name of its own");
    },
    "a message is answered by an agent of the list or by none": async () => {
      const names = (await listed()).map(({ name }) => name);
      const cure = "answer one of list(), or nothing for the assistant without an agent";
      for (const one of asked) {
        const agent = await answered<Agent | undefined>(who, "of()", patienceMs, cure, () => agents.of(one));
        if (agent !== undefined && !names.includes((Object(agent) as Agent).name))
          throw wrong(who, `answered ${kindOf(agent)} that is not in it in of()`, cure);
      }
    },
  });
}
