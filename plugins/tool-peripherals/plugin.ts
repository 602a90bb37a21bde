import { Checks, definePlugin, Runtime, Services, Tools, type Plugin } from "@gantry/sdk";
import { peripheralChecks } from "./checks.ts";
import { config } from "./config.ts";
import { obstacleAt } from "./device.ts";
import { errors } from "./errors.ts";
import { GpioChip } from "./gpio-chip.ts";
import type { OpenKernel } from "./gpio-kernel.ts";
import { gpioReadTool, gpioWriteTool } from "./gpio-tools.ts";
import { onboarding } from "./onboarding.ts";
import { SerialDevice } from "./serial-device.ts";
import { serialExchangeTool } from "./serial-exchange.ts";
import { settingsFrom } from "./settings.ts";

/** `openKernel` is what GPIO chips are reached through. */
export function peripherals(openKernel: OpenKernel): Plugin {
  return definePlugin({
    name: "tool-peripherals",
    summary:
      "serial_exchange, gpio_read, gpio_write: the devices that [peripherals.<name>] names, and no others.",
    table: "",
    config,
    needs: { runtime: Runtime },
    provides: [Checks, Services, Tools],
    onboarding,
    errors,
    setup(host) {
      const { serial, gpio } = settingsFrom(host.config.peripherals);
      const devices = new Map(serial.map((one) => [one.name, new SerialDevice(one)]));
      const chips = new Map(gpio.map((one) => [one.name, new GpioChip(one, openKernel)]));
      host.provide(Tools, serialExchangeTool(devices));
      host.provide(Tools, gpioReadTool(chips));
      host.provide(Tools, gpioWriteTool(chips));
      for (const check of peripheralChecks(
        [...devices.values()],
        [...chips.values()],
        host.needs.runtime.configDir,
      ))
        host.provide(Checks, check);

      const letGo = async (): Promise<void> => {
        for (const chip of chips.values()) chip.close();
        await Promise.all([...devices.values()].map((device) => device.close()));
      };
      host.provide(Services, {
        name: "peripherals",
        // An output is dark until it is asked for; a chip that is not there is told and claimed on
        // first use.
        async start() {
          for (const { settings } of devices.values()) {
            const wrong = await obstacleAt(settings.path, "serial");
            if (wrong)
              host.log.warn(
                {},
                errors.PERIPHERAL_CONNECT(settings.name, settings.path, wrong.cause, wrong.cure).message,
              );
          }
          for (const chip of chips.values()) {
            await chip.claimOutputs().catch((error: Error) => host.log.warn({}, error.message));
          }
        },
        stop: async () => undefined,
      });
      host.onDispose(letGo);
    },
  });
}
