# Homebrew's formula of the library. The archive is one that its user makes (docs/reference/packages.md):
# HOMEBREW_MSD_ARCHIVES is the folder in which it lies.
class Msd < Formula
  desc "Particles joined by damped springs: cloth, rope and soft bodies"
  url "file://#{ENV.fetch("HOMEBREW_MSD_ARCHIVES", Dir.home)}/msd-0.1.0.tar.gz"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :test

  def install
    args = %w[APP TESTS BENCH EXAMPLES WERROR].map { |name| "-DMSD_#{name}=OFF" }
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_SHARED_LIBS=ON", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
    pkgshare.install "examples"
  end

  test do
    flags = shell_output("pkg-config --cflags --libs msd").split
    system ENV.cc, pkgshare/"examples/hello.c", "-o", "hello", *flags
    assert_equal "1 m of rope hangs 1.047 m deep\n", shell_output("./hello")
  end
end
