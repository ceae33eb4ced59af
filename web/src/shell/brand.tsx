export function Brand() {
  return (
    <span className="flex items-center gap-2 px-3 py-1 text-lg font-semibold">
      <img src="/favicon.svg" alt="" width={24} height={24} />
      Otto
    </span>
  );
}
