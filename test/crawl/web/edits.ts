/** What happens to a picture on its way through the web. */
import sharp from 'sharp';

export const edits = {
  're-encoded': (bytes: Buffer) => sharp(bytes).jpeg({ quality: 50 }).toBuffer(),
  resized: async (bytes: Buffer) => {
    const { width } = await sharp(bytes).metadata();
    return sharp(bytes)
      .resize(Math.round(width * 0.5))
      .jpeg({ quality: 85 })
      .toBuffer();
  },
  'cropped 5 %': async (bytes: Buffer) => {
    const { width, height } = await sharp(bytes).metadata();
    const [w, h] = [Math.round(width * 0.95), Math.round(height * 0.95)];
    return sharp(bytes)
      .extract({ left: width - w, top: height - h, width: w, height: h })
      .jpeg({ quality: 90 })
      .toBuffer();
  },
  watermarked: async (bytes: Buffer) => {
    const { width, height } = await sharp(bytes).metadata();
    const text = `<text x="50%" y="55%" font-size="${Math.round(width / 8)}" text-anchor="middle" fill="white" fill-opacity="0.5" font-family="sans-serif">© sample</text>`;
    // The bar is there for machines that have no fonts.
    const bar = `<rect x="10%" y="45%" width="80%" height="4%" fill="white" fill-opacity="0.5"/>`;
    const mark = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${text}${bar}</svg>`,
    );
    return sharp(bytes)
      .composite([{ input: mark }])
      .jpeg({ quality: 90 })
      .toBuffer();
  },
};
