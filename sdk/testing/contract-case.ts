/** One sentence of the contract; rejects where it does not hold. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}
