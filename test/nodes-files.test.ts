import { readFile } from "node:fs/promises";
import path from "node:path";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import gateway from "../plugins/gateway-http/index.ts";
import { gantry, root, tempDir } from "./helpers/cli.ts";

function read(file: string): Promise<string> {
  return readFile(path.join(root, "examples/nodes", file), "utf8");
}

type Labels = Readonly<Record<string, string>>;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: string[] } } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pod {
  readonly securityContext: { readonly runAsUser: number; readonly fsGroup?: number };
  readonly initContainers: readonly [Pick<Container, "image"> & { readonly command: string[] }];
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Labels;
  readonly spec: {
    readonly serviceName: string;
    readonly selector: Labels & { readonly matchLabels: Labels };
    readonly ports: readonly { readonly targetPort: string }[];
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: Pod;
    };
  };
}

const documents = parseAllDocuments(await read("kubernetes.yaml"));
const manifests = documents.map((document) => document.toJS() as Manifest);

function manifest(kind: string, name: string = "gantry"): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`kubernetes.yaml has no ${kind} ${name}`);
  return found;
}

const pods = manifest("StatefulSet").spec.template;
const [container] = pods.spec.containers;
const files = {
  "config.toml": await read("config.toml"),
  "kubernetes.yaml": manifest("ConfigMap").data?.["config.toml"] ?? "",
};

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string;
        readonly hostname?: string;
        readonly environment?: Labels;
        readonly volumes: readonly string[];
        readonly networks: readonly string[];
      }
    >
  >;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: { readonly gantry: { ipam: { config: readonly [{ subnet: string }] } } };
}

const compose = parse(await read("compose.yaml"), { merge: true }) as Compose;
const nodes = Object.entries(compose.services).filter(([, { image }]) => image === "gantry");

/** Returns the variables that a configuration takes from its environment. */
function variables(toml: string): readonly string[] {
  return [...toml.replace(/^\s*#.*$/gm, "").matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);
}

test.for(Object.entries(files))(
  "SCL-01: the configuration of a node in %s is valid and has the shared store",
  async ([, toml]) => {
    using temp = tempDir(toml);
    const env = Object.fromEntries(variables(toml).map((name) => [name, "secret-example"]));
    const { code, out, err } = await gantry(["plugins", "list", "--json"], { dir: temp.dir, env });
    expect([code, err]).toEqual([0, ""]);
    const { loaded } = JSON.parse(out) as { loaded: { name: string }[] };
    const names = loaded.map(({ name }) => name);
    expect(names).toContain("store-postgres");
    expect(names).not.toContain("store-sqlite");
  },
);

test("SCL-01: the proxy asks each node whether it is ready, by an allowed name", async () => {
  const proxy = await read("Caddyfile");
  const [, upstreams = ""] = /reverse_proxy (.*) \{/.exec(proxy) ?? [];
  expect(nodes.map(([name]) => `${name}:3000`)).toEqual(upstreams.split(" "));
  expect(nodes).toHaveLength(3);
  const [, site = "?"] = /^([\w.]+) \{$/m.exec(proxy) ?? [];
  expect(/health_headers \{\s+Host (\S+)/.exec(proxy)?.[1]).toBe(site);
  expect(files["config.toml"]).toContain(`allowed_hosts = ["${site}"]`);
  expect(files["config.toml"]).toContain("port = 3000");
  const [{ subnet }] = compose.networks.gantry.ipam.config;
  expect(files["config.toml"]).toContain(`trusted_proxies = ["${subnet}"]`);
});

test("SCL-01: each node in compose.yaml has its name, its volume and its variables", () => {
  for (const [name, { hostname, environment = {}, volumes }] of nodes) {
    expect([name, hostname]).toEqual([name, name]);
    expect(volumes).toContain(`${name}:/var/lib/gantry`);
    expect(Object.keys(environment)).toEqual(variables(files["config.toml"]));
  }
  const used = Object.values(compose.services).flatMap(({ volumes }) => volumes);
  const named = used.flatMap((volume) => volume.match(/^\w+(?=:)/) ?? []);
  expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  for (const { networks } of Object.values(compose.services)) expect(networks).toEqual(["gantry"]);
});

test("SCL-01: probes and the proxy ask for paths that need no token", async () => {
  const [, health = "?"] = /health_uri (\S+)/.exec(await read("Caddyfile")) ?? [];
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const probes = [startupProbe, livenessProbe, readinessProbe];
  const paths = [health, ...probes.map(({ httpGet }) => httpGet.path)];
  expect([health, readinessProbe.httpGet.path]).toEqual(["/ready", "/ready"]);
  const plugins = [gateway, memoryStore(), fakeProvider(["hello"])];
  await using t = await startTestHost({ plugins, config: { gateway: { port: 0 } } });
  await t.serve();
  const url = String(t.logs.find(({ detail }) => "url" in detail)?.detail["url"]);
  for (const asked of paths) {
    const { status } = await fetch(url + asked);
    expect([asked, status]).toEqual([asked, 200]);
  }
});

test("SCL-01: before a pod is ended its node is drained, by a word that there is", async () => {
  const [shell, flag, line = ""] = container.lifecycle.preStop.exec.command;
  expect([shell, flag]).toEqual(["sh", "-c"]);
  const [, words = ""] = /^gantry ([a-z ]+) "\$\(hostname\)"$/.exec(line) ?? [];
  using temp = tempDir(files["kubernetes.yaml"]);
  const env = { GANTRY_API_KEY: "sk-example", DB_PASSWORD: "secret-example" };
  const { out } = await gantry([...words.split(" "), "--help"], { dir: temp.dir, env });
  expect(out).toMatch(/^Usage: gantry nodes drain \[options\] <name>$/m);
});

test("SCL-01: keys come to pods by reference, and no manifest holds one", () => {
  const given = container.env.map(({ name, value, valueFrom }) => {
    expect([name, value, valueFrom?.secretKeyRef.name]).toEqual([name, undefined, "gantry"]);
    return name;
  });
  expect(given).toEqual(variables(files["kubernetes.yaml"]));
  expect(manifests.map(({ kind }) => kind)).not.toContain("Secret");
});

test("SCL-01: services and the disruption budget choose the pods; ports and volumes fit", () => {
  const { labels } = pods.metadata;
  const services = [manifest("Service"), manifest("Service", "gantry-nodes")];
  for (const { spec } of services) {
    expect(spec.selector).toEqual(labels);
    expect(spec.ports.map(({ targetPort }) => targetPort)).toEqual([container.ports[0]?.name]);
  }
  for (const kind of ["StatefulSet", "PodDisruptionBudget"])
    expect(manifest(kind).spec.selector.matchLabels).toEqual(labels);
  const { serviceName, volumeClaimTemplates } = manifest("StatefulSet").spec;
  expect(services.map(({ metadata }) => metadata.name)).toContain(serviceName);
  expect(files["kubernetes.yaml"]).toContain(`port = ${container.ports[0]?.containerPort}`);
  const volumes = [
    ...pods.spec.volumes.map(({ name }) => name),
    ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
  ];
  expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
});

test("SCL-01: the volume of a pod is its user's alone", () => {
  const { securityContext, initContainers } = pods.spec;
  const [{ image, command }] = initContainers;
  const { runAsUser: uid, fsGroup } = securityContext;
  expect([fsGroup, image]).toEqual([undefined, container.image]);
  const at = container.volumeMounts.find(({ name }) => name === "state")?.mountPath;
  expect(command.at(-1)).toBe(`chown ${uid}:${uid} ${at} && chmod 700 ${at}`);
});

test("SCL-01: the manifests are YAML without errors", () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(manifests.length).toBeGreaterThan(4);
});
