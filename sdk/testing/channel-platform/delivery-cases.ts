import type { ChannelPlatformSubject } from "./platform.ts";
import { rigOf } from "./rig.ts";
import { createMemoryStore } from "../memory-store.ts";
import { within, wrong } from "../say.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

/** Nothing is lost and nothing doubled, whenever the service or its store ends. */
export function deliveryCases(subject: ChannelPlatformSubject): Cases {
  const { owner } = subject.people;
  const { on, must, who } = rigOf(subject);
  const always: Cases = {
    "CC-01: a message is on disk before the platform is told that it is taken": async () => {
      const store = createMemoryStore();
      const accept = store.lanes.accept.bind(store.lanes);
      let tries = 0;
      store.lanes.accept = (messages) =>
        (tries += 1) > 1 ? accept(messages) : Promise.reject(new Error("disk full"));
      const seen: number[] = [];
      await on(
        async ({ platform, told }) => {
          await platform.write({ from: owner, text: "kept" }).catch(() => {});
          seen.push(platform.taken());
          if (tries === 1) await platform.write({ from: owner, text: "kept" }).catch(() => {});
          await told(1);
        },
        { store },
      );
      must(
        seen[0] === 0,
        "told the platform that a message is taken which the store had refused",
        "confirm after inbox.receive()",
      );
    },
    "CC-02: what was taken is answered after a restart, once": async () => {
      await on(async ({ platform, told, restart }) => {
        for (let i = 0; i < 3; i += 1) await platform.write({ from: owner, text: `one ${i}` });
        const second = await restart();
        for (let i = 0; i < 3; i += 1) await platform.write({ from: owner, text: `two ${i}` });
        const texts = (await told(6)).map(({ text }) => text).toSorted();
        must(
          new Set(texts).size === 6 && texts.length === 6,
          `answered ${JSON.stringify(texts)}`,
          "each message once",
        );
        await second.stop();
      });
    },
    "CC-03: a message that comes twice is answered once": async () => {
      await on(async ({ platform, told }) => {
        await platform.write({ from: owner, text: "same", twice: true });
        await platform.write({ from: owner, text: "last" });
        const texts = (await told(2)).map(({ text }) => text);
        must(
          texts.join() === "same,last",
          `answered ${JSON.stringify(texts)}`,
          "make the id from what the platform calls the message",
        );
      });
    },
    "CC-20: a stop is quick, also while it waits for the platform": async () => {
      await on(async ({ platform, told, host }) => {
        await platform.write({ from: owner, text: "hello" });
        await told(1);
        const late = wrong(who, "did not stop in 10 s", "end everything by host.signal");
        await within(10_000, late, () => host.stop());
      });
    },
  };
  const afterRestart: Cases = {
    "CC-03: a message that comes again after a restart is not answered again": async () => {
      await on(async ({ platform, told, restart }) => {
        await platform.write({ from: owner, text: "same" });
        await told(1);
        await restart();
        await platform.again?.();
        await platform.write({ from: owner, text: "last" });
        const texts = (await told(2)).map(({ text }) => text);
        must(
          texts.join() === "same,last",
          `answered ${JSON.stringify(texts)}`,
          "make the id from what the platform calls the message, and of nothing that ends with the process",
        );
      });
    },
  };
  return { ...always, ...(subject.repeats === true ? afterRestart : {}) };
}
