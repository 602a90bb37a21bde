import { useSignal } from "@preact/signals";
import { Table } from "./list-end.tsx";
import { asFailure, Badge, Empty, Sure, useLoad, View, When } from "./parts.tsx";
import { account, ask } from "./service.ts";
import { texts, timeOf } from "./texts.ts";

const words = texts.devices;

interface Device {
  readonly device_id: string;
  readonly name: string;
  readonly paired: string;
  readonly may: readonly string[];
  readonly expires?: string;
  readonly used?: string;
}

/** The paired devices and what their tokens may. */
export function Devices() {
  const load = useLoad(() => ask<{ devices: readonly Device[]; own?: string }>("GET", "/api/devices"));
  const revoking = useSignal<Device | undefined>(undefined);
  const chosen = revoking.value;
  return (
    <View title={texts.views.devices}>
      <When load={load} scope="manage">
        {({ devices, own }) => (
          <>
            {devices.length === 0 ? (
              <Empty title={words.empty} />
            ) : (
              <Table label={texts.views.devices} columns={[...Object.values(words.columns), ""]}>
                {devices.map((device) => (
                  <Row
                    key={device.device_id}
                    device={device}
                    isOwn={device.device_id === own}
                    revoke={() => (revoking.value = device)}
                  />
                ))}
              </Table>
            )}
            <NewCode />
          </>
        )}
      </When>
      {chosen && (
        <Sure
          title={words.revokeTitle(chosen.name)}
          hint={words.revokeHint}
          yes={words.revoke}
          act={async () => {
            await ask("DELETE", `/api/devices/${chosen.device_id}`);
            load.again();
          }}
          done={() => (revoking.value = undefined)}
        />
      )}
    </View>
  );
}

interface RowProps {
  readonly device: Device;
  readonly isOwn: boolean;
  readonly revoke: () => void;
}

function Row({ device: { name, device_id, may, paired, used, expires }, isOwn, revoke }: RowProps) {
  return (
    <tr>
      <th scope="row">
        {name} {isOwn && <Badge kind="ok">{words.own}</Badge>}
        <br />
        <small>{device_id}</small>
      </th>
      <td>{may.join(", ")}</td>
      <td>{timeOf(paired)}</td>
      <td>{timeOf(used) || words.never}</td>
      <td>{timeOf(expires) || words.never}</td>
      <td>
        <button type="button" class="danger" aria-label={`${words.revoke} ${name}`} onClick={revoke}>
          {words.revoke}
        </button>
      </td>
    </tr>
  );
}

/** A code for another device, for no more than this one may. */
function NewCode() {
  const own = account.value?.may ?? [];
  const may = useSignal<readonly string[]>(own);
  const name = useSignal("");
  const days = useSignal("");
  const made = useSignal<{ readonly code: string; readonly expires: string } | undefined>(undefined);
  const failure = useSignal("");
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    failure.value = "";
    const wanted = {
      may: may.value,
      ...(name.value !== "" && { name: name.value }),
      ...(days.value !== "" && { days: Number(days.value) }),
    };
    try {
      made.value = await ask("POST", "/api/devices/codes", wanted);
    } catch (error) {
      failure.value = texts.failed(asFailure(error).message);
    }
  };
  const toggle = (scope: string): void => {
    const has = may.value.includes(scope);
    may.value = has ? may.value.filter((one) => one !== scope) : [...may.value, scope];
  };
  return (
    <form class="card narrow" onSubmit={(event) => void make(event)}>
      <h2>{words.add}</h2>
      <fieldset>
        <legend>{words.columns.may}</legend>
        {own.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={may.value.includes(scope)} onChange={() => toggle(scope)} />
            <span>{words.scopes[scope] ?? scope}</span>
          </label>
        ))}
      </fieldset>
      <label>
        {words.name}
        <input value={name} maxLength={64} onInput={(event) => (name.value = event.currentTarget.value)} />
        <small>{words.nameHint}</small>
      </label>
      <label>
        {words.days}
        <input
          type="number"
          min={1}
          max={3650}
          value={days}
          onInput={(event) => (days.value = event.currentTarget.value)}
        />
      </label>
      {failure.value !== "" && <p role="alert">{failure}</p>}
      <button class="primary" disabled={may.value.length === 0}>
        {words.make}
      </button>
      <p role="status">
        {made.value && (
          <>
            {words.code}: <strong class="code">{made.value.code}</strong> <br />
            <small>{words.codeHint(timeOf(made.value.expires))}</small>
          </>
        )}
      </p>
    </form>
  );
}
