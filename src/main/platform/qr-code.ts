import qrcode from 'qrcode';

/** The QR code of a text (error correction M), one text of `1` (dark) and `0` for each row. The margin of four that scanners want is the drawer's. */
export function qrCode(text: string): readonly string[] {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: 'M' }).modules;
  return Array.from({ length: size }, (_, row) => Array.from(data.subarray(row * size, (row + 1) * size), (dark) => (dark ? '1' : '0')).join(''));
}
