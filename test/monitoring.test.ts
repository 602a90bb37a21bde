import { readFile } from "node:fs/promises";
import path from "node:path";
import { Approvals, ask, Checks, definePlugin, refuse } from "@gantry/sdk";
import type { CheckRow, TurnEvent } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import type { TestHost } from "@gantry/sdk/testing";
import { beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import alertOwner from "../plugins/alert-owner/index.ts";
import gateway from "../plugins/gateway-http/index.ts";
import { help } from "../plugins/metrics-prometheus/help.ts";
import metrics from "../plugins/metrics-prometheus/index.ts";
import net from "../plugins/net-undici/index.ts";
import router from "../plugins/provider-router/index.ts";
import { CollectorForTests, plain } from "../plugins/telemetry-otlp/collector.test-kit.ts";
import telemetry from "../plugins/telemetry-otlp/index.ts";
import { guard, tool } from "./helpers/plugins.ts";
import { root } from "./helpers/sources.ts";

const folder = path.join(root, "examples/monitoring");
const read = (file: string): Promise<string> => readFile(path.join(folder, file), "utf8");

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

/** Labels by the name of the series, as a database of metrics has them. */
type Series = ReadonlyMap<string, ReadonlySet<string>>;

let text = "";
let shown: Series;
let sent: Series;
let alerts: readonly Alert[];
const dashboards = new Map<string, Dashboard>();

beforeAll(async () => {
  await using collector = await CollectorForTests.start();
  text = await metricsOfEveryKind(collector);
  shown = seriesIn(text);
  sent = seriesOf(collector);
  const rules = parse(await read("alerts.yaml")) as { groups: { rules: Alert[] }[] };
  alerts = rules.groups.flatMap((group) => group.rules);
  for (const file of ["service.json", "telemetry.json"])
    dashboards.set(file, JSON.parse(await read(file)) as Dashboard);
});

/** Says that a channel works and that a disk does not. */
const partly = definePlugin({
  name: "partly-ready",
  provides: [Checks],
  setup(host) {
    const rows: readonly CheckRow[] = [
      { what: "channel:desk", state: "ok", detail: "it hears" },
      { what: "disk", state: "fail", detail: "less than 64 MiB are free" },
    ];
    host.provide(Checks, { name: "partly-ready", kind: "ready", run: async () => rows });
  },
});

const bundled = [alertOwner, gateway, metrics, net, router, telemetry];
const leftAlone = ["provider_left_alone"];
/** Serves what makes each metric appear. Returns the page of `GET /metrics` that has them all. */
async function metricsOfEveryKind(collector: CollectorForTests): Promise<string> {
  collector.next = (response) => response.writeHead(400).end();
  const away = { code: "HTTP_503", message: "It failed with 503.", status: 503, retry: true };
  const calls = ["look", "knock", "burn"].map((name) => ({ name, args: {} }));
  const answers = [{ calls }, "done", "hello", { failure: away }];
  const channel = fakeChannel("desk", { owners: ["ada"] });
  const plugins = [
    ...bundled,
    memoryStore(),
    channel,
    ...calls.map(({ name }) => tool(name, async () => "ok")),
    guard("rules", ({ tool: name }) => {
      if (name === "knock") return ask({ code: "DOOR", message: "May I?" });
      return name === "burn" ? refuse({ code: "FIRE", message: "No fire." }) : undefined;
    }),
    partly,
    fakeProvider(answers),
  ];
  const config = {
    default_provider: "fake",
    default_model: "fake-1",
    gateway: { port: 0 },
    metrics: { open: true },
    alerts: { every_seconds: 1 },
    telemetry: { otlp_url: collector.url },
    providers: { fake: { max_retries: 0 } },
  };
  const t = await startTestHost({ plugins, config });
  try {
    await t.serve();
    await t.ask("go", { approvals: "ask", onEvent: (event) => deny(t, event) });
    await channel.receive({ text: "hello", from: "ada" });
    await channel.sentCount(1);
    const url = String(t.logs.find(({ detail }) => "url" in detail)?.detail["url"]);
    const page = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
    // More often is more than the gateway allows.
    const slowly = { timeout: 45_000, interval: 1_000 };
    await vi.waitFor(async () => expect(missingIn(await page())).toEqual(leftAlone), slowly);
    // The pause of a provider is short.
    for (let i = 0; i < 5; i += 1) await t.ask("hello?");
    return await page();
  } finally {
    await t.stop();
  }
}

function deny(t: TestHost, event: TurnEvent): void {
  if (event.type === "approval_request")
    void t.slot(Approvals).decide(event.request.id, "deny", { user: "cli:test" });
}

function missingIn(page: string): readonly string[] {
  return Object.keys(help).filter((name) => !page.includes(`# TYPE gantry_${name} `));
}

/** Returns the series of a page of `GET /metrics`. */
function seriesIn(page: string): Series {
  const found = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of page.matchAll(/^(gantry_\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = found.get(name) ?? new Set();
    found.set(name, names);
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) names.add(label);
  }
  return found;
}

function worded(name: string): string {
  return name.replaceAll(".", "_");
}

/** Returns the series that Prometheus makes of OTLP: its default translation of names and units. */
function seriesOf({ metrics: measured }: CollectorForTests): Series {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { name, unit, histogram, sum } of measured) {
    const points = (histogram ?? sum)?.dataPoints ?? [];
    const labels = new Set(
      points.flatMap(({ attributes }) => Object.keys(plain(attributes as never)).map(worded)),
    );
    const whole = `${worded(name)}${unit === "s" ? "_seconds" : ""}`;
    if (sum) found.set(`${whole}_total`, labels);
    else for (const end of ["bucket", "sum", "count"]) found.set(`${whole}_${end}`, labels);
  }
  return found;
}

/** Labels that Prometheus adds, and one that only turns of a named agent have. */
const added = ["job", "instance", "le", "gen_ai_agent_name"];

/** Returns each name in an expression that no series has, and each label that its series lack. */
function unknownIn(expr: string, legend: string, series: Series): readonly string[] {
  const bare = expr.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const grouping = /\b(?:by|on|without)\s*\(([^)]*)\)/g;
  const naming = /\b((?:gantry|gen_ai)_\w+)(?:\{([^}]*)\})?/g;
  const used = [...bare.replace(grouping, "").matchAll(naming)];
  const names = used.map(([, name = ""]) => name);
  const known = new Set([...added, ...names.flatMap((name) => [...(series.get(name) ?? [])])]);
  const labels = [
    ...[...bare.matchAll(grouping)].flatMap(([, list = ""]) => list.match(/\w+/g) ?? []),
    ...used.flatMap(([, , matchers = ""]) => matchers.match(/\w+(?=\s*[=!])/g) ?? []),
    ...(legend.match(/(?<=\{\{\s*(?:\$labels\.)?)\w+(?=\s*\}\})/g) ?? []),
  ];
  const lacking = labels.filter((label) => !known.has(label));
  return [...names.filter((name) => !series.has(name)), ...lacking];
}

/** Returns all queries of a dashboard, each with the words of its legend. */
function queriesOf(file: string): readonly Target[] {
  return dashboards.get(file)?.panels.flatMap((panel) => panel.targets ?? []) ?? [];
}

test("OPS-01: each metric of a service that has them all says in /metrics what it is", () => {
  const typed = [...text.matchAll(/^# TYPE gantry_(\w+) /gm)].map(([, name]) => name);
  expect(typed.toSorted()).toEqual(Object.keys(help).toSorted());
  for (const [name, words] of Object.entries(help))
    expect(text).toContain(`# HELP gantry_${name} ${words}\n# TYPE gantry_${name} `);
});

test("SCL-02: each alert asks for metrics and labels that a service shows", () => {
  expect(alerts.length).toBeGreaterThan(15);
  const unknown = alerts.map(({ alert, expr, annotations: { summary } }) => [
    alert,
    unknownIn(expr.replace(/^ *#.*$/gm, ""), summary, shown),
  ]);
  expect(unknown.filter(([, names]) => names?.length)).toEqual([]);
});

test("SCL-02: each alert has a heading that it names, and each heading its alert", async () => {
  const page = await read("README.md");
  const cures = page.matchAll(/^## (\w+)\n\nIt says: [^]*?\n\nDo: /gm);
  const headings = [...cures].map(([, name]) => name);
  expect(headings).toEqual(alerts.map(({ alert }) => alert));
  expect([...page.matchAll(/^## /gm)]).toHaveLength(headings.length);
  for (const { alert, annotations } of alerts)
    expect(annotations.runbook_url).toBe(`README.md#${alert.toLowerCase()}`);
});

test("SCL-02: the dashboard of /metrics shows each metric of a service, and no other", () => {
  const queries = queriesOf("service.json");
  const unknown = queries.flatMap(({ expr, legendFormat }) => unknownIn(expr, legendFormat, shown));
  expect(unknown).toEqual([]);
  const all = queries.map(({ expr }) => expr).join("\n");
  const asked = [...all.matchAll(/\bgantry_(\w+?)(?:_bucket)?\b/g)].map(([, name]) => name);
  expect([...new Set(asked)].toSorted()).toEqual(Object.keys(help).toSorted());
});

test("SCL-02: the dashboard of telemetry asks for what a collector is sent", () => {
  const queries = queriesOf("telemetry.json");
  expect(queries.length).toBeGreaterThan(8);
  const unknown = queries.flatMap(({ expr, legendFormat }) => unknownIn(expr, legendFormat, sent));
  expect(unknown).toEqual([]);
});

test("SCL-02: dashboards use only the variables that they have", () => {
  for (const { panels, templating } of dashboards.values()) {
    const known = new Set([...templating.list.map(({ name }) => name), "__rate_interval"]);
    const used = [...JSON.stringify(panels).matchAll(/\$\{?(\w+)/g)].map(([, name = ""]) => name);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  }
  expect(dashboards.size).toBe(2);
});
