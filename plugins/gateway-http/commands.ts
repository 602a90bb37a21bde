import type { Audit, Command, CommandContext } from "@gantry/sdk";
import type { Device, Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { grantOf, grantOptions } from "./pair-options.ts";
import { userOfTerminal, type Pairing } from "@gantry/sdk/node";

const json = { flags: "--json", summary: "print JSON" };

/**
 * Makes the command. `listen` takes the command line's address, which overrides the configuration.
 */
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
      options: [
        ...grantOptions,
        { flags: "--name <name>", summary: "the name of the device, whatever it calls itself" },
        json,
      ],
      async run({ out, err, options }) {
        const grant = grantOf(options);
        await record("code made", { ...grant });
        const { code, expires } = await pairing().create(grant);
        const until = new Date(expires).toISOString();
        out(options["json"] ? JSON.stringify({ code, expires: until, ...grant }) : code);
        if (!options["json"])
          err(`One use, until ${until}, for ${grant.may.join(", ")}: POST /pair {"code": "…"}`);
        return 0;
      },
    },
    {
      name: "pair token",
      summary: "pair a device from here and print its token: no code that others could guess at or use up",
      args: ["[device_name]"],
      options: [...grantOptions, json],
      async run({ args: [name = "unnamed"], out, err, options }) {
        const { token, device } = await devices().add(name, grantOf({ ...options, name }));
        await record("paired", { device_id: device.device_id, may: device.may }).catch(
          async (error: unknown) => {
            await devices().revoke(device.device_id);
            throw error;
          },
        );
        const { device_id, may, expires } = device;
        const shown = { token, device_id, may, ...(expires !== undefined && { expires }) };
        out(options["json"] ? JSON.stringify(shown) : token);
        if (!options["json"]) err(`The token of the device ${device_id}; it is not shown again.`);
        return 0;
      },
    },
    {
      name: "pair list",
      summary: "show the paired devices: what their tokens may, their last use, their end",
      options: [json],
      async run({ out, err, options }) {
        const paired = await devices().list();
        if (options["json"]) out(JSON.stringify(paired));
        else for (const device of paired) out(lineOf(device));
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

function lineOf({ device_id, paired, may, used, earlier, expires, name }: Device): string {
  const unused = earlier ? "not used since the upgrade" : "not used yet";
  const last = used === undefined ? unused : `used ${used}`;
  const end = expires === undefined ? [] : [`${isPast(expires) ? "ran out" : "until"} ${expires}`];
  return [device_id, paired, may.join(",") || "nothing", last, ...end, name].join("  ");
}

function isPast(time: string): boolean {
  return !(Date.parse(time) > Date.now());
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
