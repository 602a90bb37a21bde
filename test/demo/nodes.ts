// Three nodes on one PostgreSQL with a synchronous standby: a node and the primary are killed
// while people write.
import { setTimeout as pause } from "node:timers/promises";
import { startCluster } from "../../plugins/store-postgres/cluster.test-kit.ts";
import { startPostgres } from "../../plugins/store-postgres/server.test-kit.ts";
import { gantry } from "../helpers/cli.ts";

const people = ["491", "492", "493", "494", "495"];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const primary = await startPostgres();
const standby = await primary.standby();
const url = await primary.database();
const name = url.slice(url.lastIndexOf("/"));
const both = `postgres://gantry@127.0.0.1:${primary.port},127.0.0.1:${standby.port}${name}`;
say(`PostgreSQL listens on ${primary.port}, its standby on ${standby.port}.`);

{
  await using cluster = await startCluster(["first", "second", "third"], `url = "${both}"`);
  const [first, second] = cluster.nodes;
  const { replies } = cluster.platform;
  const over = new AbortController();
  const writing = cluster.write(people, over.signal);
  const answered = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n += 1) {
      await pause(1_000);
      const taken = [...cluster.accepted.values()].flat().length;
      say(`  ${taken} messages taken, ${replies.length} answered`);
    }
  };
  say(`${people.length} people write to three nodes.`);
  await answered(4);
  await first?.end("SIGKILL");
  say("The node first was killed.");
  await answered(7);
  say((await gantry(["nodes", "list"], { dir: second!.dir })).out.trim());
  await primary.crash();
  await standby.promote();
  say("The primary was killed, its standby takes over.");
  await answered(7);
  over.abort();
  await writing;
  const { expected, firsts, doubled } = await cluster.tally();
  const lost = expected.flat().filter((text) => !firsts.flat().includes(text));
  const isInOrder = JSON.stringify(firsts) === JSON.stringify(expected);
  say(
    `${expected.flat().length} messages were taken: ${lost.length} lost, ${doubled.length} answered twice, ` +
      `${isInOrder ? "each person's in order" : "NOT in order"}.`,
  );
  process.exitCode = lost.length === 0 && isInOrder ? 0 : 1;
}
await standby.stop();
await primary.stop();
