import { unbounded } from "../e2e/platform.ts";
import { startChatService, type ChatService } from "./chat-service.ts";
import { memory, processorTime } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const days = 7;
const aDay = 2_000;
const people = 200;
const atOnce = 20;

interface Day {
  /** Processor time of the service for one message, in ms. */
  readonly each: number;
  /** Memory of the service at its end, in MiB. */
  readonly mib: number;
  /** Bytes in its state at its end. */
  readonly kept: number;
}

/** Measures what the seventh day of a service costs against its second, without the pauses. */
export async function weekRows(): Promise<readonly Row[]> {
  await using service = await startChatService(0, unbounded);
  const week: Day[] = [];
  for (let day = 0; day < days; day += 1) week.push(await lived(service, day));
  const [, second, last] = [week[0], week[1], week.at(-1)];
  const grown = (last!.kept - second!.kept) / ((days - 2) * aDay);
  return [
    atMost("a message on the seventh day, against the second", last!.each / second!.each, 1.1, "x"),
    atMost("memory after the seventh day, against the second", last!.mib / second!.mib, 1.15, "x"),
    atMost("kept of a message and its answer", grown / 1_024, 4, " KiB"),
  ];
}

async function lived(service: ChatService, day: number): Promise<Day> {
  const { platform, pid } = service;
  const began = processorTime(pid);
  for (let n = 0; n < aDay; n += atOnce) {
    const before = platform.replies.length;
    const some = Array.from({ length: atOnce }, (_, i) =>
      service.deliver(`49${(n + i) % people}`, `${day}-${n + i}`),
    );
    await Promise.all(some);
    await platform.until(() => platform.replies.length === before + atOnce);
  }
  const each = (processorTime(pid) - began) / aDay;
  return { each, mib: memory(pid, "VmRSS"), kept: await service.kept() };
}
