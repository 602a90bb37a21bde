import type { Audit, Command, CommandContext } from "@gantry/sdk";
import { isDeviceName, type Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { userOfTerminal, type Pairing } from "@gantry/sdk/node";

const json = { flags: "--json", summary: "print JSON" };

/** `listen` takes what the command line says over what the configuration says. */
export function gatewayCommand(listen: (where: { host?: string; port?: number }) => void): Command {
  return {
    name: "gateway",
    summary: "serve the HTTP gateway until it is stopped",
    options: [
      { flags: "--port <number>", summary: "listen on this port instead of gateway.port" },
      { flags: "--host <address>", summary: "listen on this address instead of gateway.host" },
    ],
    async run({ options: { port, host }, serve }) {
      const wanted = typeof port === "string" ? port : undefined;
      if (wanted !== undefined && !(/^\d{1,5}$/.test(wanted) && Number(wanted) <= 65_535))
        throw errors.GATEWAY_BAD_PORT(wanted);
      listen({
        ...(wanted !== undefined && { port: Number(wanted) }),
        ...(typeof host === "string" && { host }),
      });
      return serve(["gateway"]);
    },
  };
}

export function pairCommands(
  pairing: () => Pairing,
  devices: () => Devices,
  audit: Audit,
): readonly Command[] {
  const record = (result: string, args: Readonly<Record<string, unknown>>) =>
    audit.record({ event_type: "pairing", tool: "", args, result, user: userOfTerminal(), session_id: "" });
  return [
    {
      name: "pair new",
      summary: "make a one-time pairing code; earlier ones go on",
      options: [json, { flags: "--name <name>", summary: "what to call the device that it pairs" }],
      async run({ out, err, options }) {
        const named = typeof options["name"] === "string" ? { name: options["name"] } : {};
        if (named.name !== undefined && !isDeviceName(named.name)) throw errors.GATEWAY_DEVICE_NAME();
        await record("code made", named);
        const { code, expires } = await pairing().create(named);
        const until = new Date(expires).toISOString();
        out(options["json"] ? JSON.stringify({ code, ...named, expires: until }) : code);
        if (!options["json"]) err(`One use, until ${until}: POST /pair {"code": "…"}`);
        return 0;
      },
    },
    {
      name: "pair token",
      summary: "pair a device from here and print its token: no code that others could guess at or use up",
      args: ["[device_name]"],
      options: [json],
      async run({ args: [name = "unnamed"], out, err, options }) {
        if (!isDeviceName(name)) throw errors.GATEWAY_DEVICE_NAME();
        const { token, device } = await devices().add(name);
        await record("paired", { device_id: device.device_id }).catch(async (error: unknown) => {
          await devices().revoke(device.device_id);
          throw error;
        });
        out(options["json"] ? JSON.stringify({ token, device_id: device.device_id }) : token);
        if (!options["json"]) err(`The token of the device ${device.device_id}; it is not shown again.`);
        return 0;
      },
    },
    {
      name: "pair list",
      summary: "show the paired devices",
      options: [json],
      async run({ out, err, options }) {
        const paired = await devices().list();
        if (options["json"]) out(JSON.stringify(paired));
        else for (const { device_id, name, paired: since } of paired) out(`${device_id}  ${since}  ${name}`);
        if (!options["json"] && paired.length === 0)
          err("No device is paired: make a code with `gantry pair new`.");
        return 0;
      },
    },
    {
      name: "pair revoke",
      summary: "take a device its token; it is dead at once",
      args: ["<device_id>"],
      options: [json],
      run: (run) => revoke(run, devices(), record),
    },
  ];
}

async function revoke(
  { args: [id = ""], out, err, options }: CommandContext,
  devices: Devices,
  record: (result: string, args: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<number> {
  if (!(await devices.revoke(id))) throw errors.GATEWAY_DEVICE_UNKNOWN(id);
  await record("revoked", { device_id: id });
  if (options["json"]) out(JSON.stringify({ revoked: id }));
  else err(`The device ${id} is no longer paired.`);
  return 0;
}
